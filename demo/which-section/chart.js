// The five best sections as bars, each the sum of what its words add.
import * as Plot from "@observablehq/plot";

const CONSTANT = "constant";
const HEIGHT = 230;
const LEFT = 92;
const RIGHT = 12;

/** Draws `answers` (as of explain) into a place. Words for a section go to the right from 0, words against it to the left. */
export function drawChart(place, answers) {
  const pieces = answers.flatMap(({ label, parts, intercept }) =>
    [...parts, { word: CONSTANT, value: intercept }].map((part) => ({ ...part, label })),
  );
  const width = Math.max(place.clientWidth, 240);
  const fits = textFits(pieces, width - LEFT - RIGHT);
  const fill = ({ word, value }) => (word === CONSTANT ? "var(--control)" : value < 0 ? "var(--b)" : "var(--a)");
  const chart = Plot.plot({
    width,
    height: HEIGHT,
    marginLeft: LEFT,
    marginRight: RIGHT,
    marginTop: 4,
    marginBottom: 34,
    style: { fontSize: "12px", color: "var(--ink)" },
    x: { label: "what each word adds to the score", labelAnchor: "center", labelArrow: "none", ticks: 5, grid: true },
    y: { label: null, domain: answers.map(({ label }) => label), tickSize: 0 },
    marks: [
      Plot.barX(pieces, { x: "value", y: "label", fill, insetLeft: 0.75, insetRight: 0.75 }),
      Plot.textX(
        pieces.filter(({ word }) => word !== CONSTANT),
        Plot.stackX({
          x: "value",
          y: "label",
          text: (piece) => (fits(piece) ? piece.word : ""),
          fill: "var(--paper)",
          fontWeight: 600,
        }),
      ),
      Plot.ruleX([0], { stroke: "var(--ink)" }),
    ],
  });
  // To those who do not see it, one picture; the table says the same in numbers.
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", "What each word adds to the score of each section");
  chart.querySelectorAll("g[aria-label]").forEach((group) => group.removeAttribute("aria-label"));
  place.replaceChildren(chart);
}

/** Whether a piece is wide enough for its word, when the longest bars to both sides share this many pixels. */
function textFits(pieces, pixels) {
  const reach = (sign) => {
    const sums = new Map();
    for (const { label, value } of pieces) sums.set(label, (sums.get(label) ?? 0) + Math.max(0, sign * value));
    return Math.max(...sums.values());
  };
  const span = reach(1) + reach(-1);
  return ({ word, value }) => (Math.abs(value) / span) * pixels > 8 * word.length + 8;
}
