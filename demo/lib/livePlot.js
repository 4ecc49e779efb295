// A plot that grows while something is trained: uPlot with the colours of the page, and a text for those who do not see it.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

const colour = (name) => () => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

const axis = (label, values, size) => ({
  label,
  values,
  size,
  stroke: colour("soft"),
  grid: { stroke: colour("grid"), width: 1 },
  ticks: { stroke: colour("grid"), width: 1 },
  font: "12px system-ui, sans-serif",
  labelFont: "12px system-ui, sans-serif",
  labelSize: 18,
});

/**
 * Draws lines into a figure's .plot, and lists them in its .legend.
 *
 * @param {HTMLElement} figure with elements .plot and .legend
 * @param {object} options
 *   x: its label; y: { log, range: [from, to], splits, format(value) }; series: [{ label, colour (a name of the style sheet),
 *   dashed }]
 * @returns {{ show(columns: (number | null)[][], text: string): void, destroy(): void }} show draws [x, one list for each series];
 *   `text` says in words what is seen. destroy makes room for another plot
 */
export function createLivePlot(figure, { x, y, series }) {
  const place = figure.querySelector(".plot");
  const describe = (text) => place.setAttribute("aria-label", text || "Nothing has been measured yet.");
  place.setAttribute("role", "img");
  describe("");
  figure.querySelector(".legend").replaceChildren(
    ...series.map(({ label, colour, dashed }) => {
      const item = document.createElement("li");
      item.textContent = label;
      item.className = dashed ? "dashed" : "";
      item.style.setProperty("--swatch", `var(--${colour})`);
      return item;
    }),
  );
  const size = () => ({ width: place.clientWidth, height: place.clientHeight });
  const plot = new uPlot(
    {
      ...size(),
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: (_, from, to) => [0, Math.max(to ?? 1, x.least ?? 1)] },
        y: { distr: y.log ? 3 : 1, range: () => y.range },
      },
      axes: [
        axis(x.label, undefined, 34),
        { ...axis(undefined, (_, splits) => splits.map(y.format), 56), splits: () => y.splits },
      ],
      series: [
        {},
        ...series.map(({ label, colour: name, dashed }) => ({
          label,
          stroke: colour(name),
          width: dashed ? 1.5 : 2.5,
          dash: dashed ? [6, 5] : undefined,
          points: { show: false },
          spanGaps: true,
        })),
      ],
    },
    [[], ...series.map(() => [])],
    place,
  );
  const resized = new ResizeObserver(() => plot.setSize(size()));
  resized.observe(place);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const recolour = () => plot.redraw(false, true);
  dark.addEventListener("change", recolour);
  return {
    show(columns, text) {
      plot.setData(columns);
      describe(text);
    },
    destroy() {
      resized.disconnect();
      dark.removeEventListener("change", recolour);
      plot.destroy();
    },
  };
}

/**
 * Columns of a plot of gaps: all seconds of some lists of records and a few more, the gaps of each list, and the goal. A curve begins
 * with everything to gain, so that one of a single record is a line, and ends on the axis where its gap is too small for that.
 */
export function gapColumns(lists, more, tolerance) {
  const x = [...new Set([0, ...more, ...lists.flat().map((record) => record.seconds)])].sort((a, b) => a - b);
  const least = lowest(tolerance);
  const gapsOf = (records) => {
    const gaps = new Map(records.map((record) => [record.seconds, Math.max(record.relativeGap, least)]));
    if (records.length > 0) gaps.set(0, 1);
    return x.map((second) => gaps.get(second) ?? null);
  };
  return [x, ...lists.map(gapsOf), x.map(() => tolerance)];
}

const lowest = (tolerance) => tolerance * 0.1;

/** What a plot of relative gaps has on its upright axis, from 100 % down to a tenth of the tolerance, as far as a last pass may go. */
export function gapAxis(tolerance) {
  const splits = [];
  for (let gap = 1; gap > tolerance * 0.99; gap /= 10) splits.push(gap);
  return {
    log: true,
    range: [lowest(tolerance), 1.3],
    splits,
    format: (gap) => `${Number((100 * gap).toPrecision(2))} %`,
  };
}
