/**
 * Plots as one SVG file: panels drawn by Observable Plot side by side, a title and a legend. The file carries its own colours
 * for light and dark pages, background included, so that it is legible wherever it is shown.
 */
import * as Plot from "@observablehq/plot";
import { JSDOM } from "jsdom";

export const colours = { blue: "#3b82f6", orange: "#e8760a", green: "#16a068", violet: "#b05cf0" };

const style = `
svg { color: #1f2328; fill: currentColor; --paper: #ffffff; }
@media (prefers-color-scheme: dark) { svg { color: #d8dee4; --paper: #0d1117; } }
.paper { fill: var(--paper); }
text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; }
.title { font-size: 15px; font-weight: 600; }
.panel { font-weight: 600; }`;

/**
 * Rows of panels: `panel` is an object of options for Plot, with width, height and `heading` beside; a row without headings has no
 * room for them. Throws where the title or the legend would leave the picture.
 */
export function drawFigure({ title, legend, rows, width }) {
  const { document } = new JSDOM("").window;
  const parts = [];
  let y = 34;
  const entries = legend.map(({ label, colour, dots, dash }, i) => {
    const x = legendEnd(legend.slice(0, i));
    const mark = dots
      ? `<circle cx="${x + 9}" cy="${y + 12}" r="4" fill="${colour}"/>`
      : `<line x1="${x}" x2="${x + 18}" y1="${y + 12}" y2="${y + 12}" stroke="${colour}" stroke-width="2.5"${dash ? ` stroke-dasharray="${dash}"` : ""}/>`;
    return `${mark}<text x="${x + 24}" y="${y + 16}">${escape(label)}</text>`;
  });
  if (Math.max(legendEnd(legend), 32 + 8.4 * title.length) > width)
    throw new RangeError(`svg: too narrow for "${title}"`);
  parts.push(...entries);
  y += 32;
  for (const panels of rows) {
    let x = 0;
    const room = panels.some(({ heading }) => heading) ? 20 : 0;
    for (const { heading, ...options } of panels) {
      const svg = Plot.plot({ document, style: "overflow: visible", ...options });
      svg.setAttribute("x", x);
      svg.setAttribute("y", y + room);
      if (heading)
        parts.push(`<text class="panel" x="${x + options.marginLeft}" y="${y + 12}">${escape(heading)}</text>`);
      svg.querySelectorAll("style").forEach((own) => own.remove()); // for pages; ours is at the top
      parts.push(svg.outerHTML);
      x += options.width;
    }
    y += room + panels[0].height;
  }
  const height = y + 8;
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}">
<style>${style}
</style>
<rect class="paper" width="${width}" height="${height}" rx="8"/>
<text class="title" x="16" y="26">${escape(title)}</text>
${parts.join("\n")}
</svg>
`;
  return renumbered(shorter(text));
}

/** Where the next entry of a legend begins: a mark, a text of about so many pixels a letter, a gap. */
const legendEnd = (entries) => entries.reduce((x, { label }) => x + 46 + 6.6 * label.length, 16);

/** A tenth of a pixel is enough: shorter numbers in attributes, not in texts. */
const shorter = (svg) => svg.replace(/="[^"]*"/g, (attribute) => attribute.replace(/(\.\d)\d+/g, "$1"));

/** Plot counts its clips and markers through the life of the process; a file should not depend on what was drawn before. */
function renumbered(svg) {
  const numbers = new Map();
  return svg.replace(/plot-(clip|marker)-\d+/g, (name, kind) => {
    if (!numbers.has(name)) numbers.set(name, numbers.size + 1);
    return `plot-${kind}-${numbers.get(name)}`;
  });
}

const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
