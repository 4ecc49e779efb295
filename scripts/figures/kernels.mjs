// docs/figures/kernels.svg: what kernels make of points on three rings.
import * as Plot from "@observablehq/plot";
import { fit } from "topk-sdca";
import { colours, drawFigure } from "../../bench/report/svg.mjs";
import { uniforms } from "../lib/uniforms.mjs";

const RINGS = ["inner", "middle", "outer"];
const colourOf = [colours.blue, colours.orange, colours.green];
const REACH = 4;
const KERNELS = [
  ["linear", undefined],
  ["poly, degree 2", { name: "poly", degree: 2, coef0: 1 }],
  ["rbf, gamma 1", { name: "rbf", gamma: 1 }],
];

function rings(count) {
  const next = uniforms(7);
  return Array.from({ length: count }, (_, i) => {
    const angle = 2 * Math.PI * next();
    const radius = 1 + (i % RINGS.length) + 0.5 * (next() - 0.5);
    return { x: radius * Math.cos(angle), y: radius * Math.sin(angle), ring: i % RINGS.length };
  });
}

export async function kernelsFigure() {
  const points = rings(150);
  const features = points.map(({ x, y }) => [x, y]);
  const labels = points.map(({ ring }) => RINGS[ring]);
  const axis = { domain: [-REACH, REACH], ticks: [], label: null };
  const size = { width: 300, height: 300, marginLeft: 10, marginRight: 10, marginTop: 8, marginBottom: 12 };
  const panels = [];
  for (const [heading, kernel] of KERNELS) {
    const model = await fit(features, labels, { kernel, loss: "hinge", C: 10, classes: RINGS });
    /** By how much class j beats the others at (x, y): its region is where that is positive. */
    const lead = (j) => (x, y) => {
      const scores = model.scores([[x, y]]);
      return scores[j] - Math.max(...RINGS.map((_, other) => (other === j ? -Infinity : scores[other])));
    };
    panels.push({
      ...{ ...size, heading, x: axis, y: axis },
      marks: [
        ...RINGS.map((_, j) =>
          Plot.contour({
            ...{ x1: -REACH, x2: REACH, y1: -REACH, y2: REACH, value: lead(j), thresholds: [0] },
            ...{ fill: colourOf[j], fillOpacity: 0.25, stroke: "none", pixelSize: 4, clip: true },
          }),
        ),
        Plot.dot(points, { x: "x", y: "y", r: 2.6, fill: ({ ring }) => colourOf[ring] }),
        Plot.frame({ strokeOpacity: 0.35 }),
      ],
    });
  }
  const legend = RINGS.map((label, j) => ({ label, colour: colourOf[j], dots: true }));
  return drawFigure({ title: "Three rings: the class that each kernel predicts", legend, rows: [panels], width: 900 });
}
