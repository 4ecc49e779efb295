// The circle as a drawing: points inside, guesses as two rings around it, and a hand for those without a mouse.
import { CLASSES } from "./circle.js";

const NS = "http://www.w3.org/2000/svg";
/** Points of a class lie on a circle of their own, so that one sees where classes overlap. */
const LANES = { A: 0.76, B: 0.85, C: 0.94 };
const RINGS = [
  { from: 1.06, to: 1.19 },
  { from: 1.23, to: 1.36 },
];
const shapes = {
  A: "M-.026,0a.026,.026 0 1,0 .052,0a.026,.026 0 1,0 -.052,0",
  B: "M0,-.034L.032,.024L-.032,.024Z",
  C: "M-.025,-.025H.025V.025H-.025Z",
};

const element = (name, attributes = {}) => {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};

const at = (turns, radius) => {
  const angle = 2 * Math.PI * turns;
  return [radius * Math.cos(angle), -radius * Math.sin(angle)];
};
const point = (turns, radius) =>
  at(turns, radius)
    .map((v) => v.toFixed(4))
    .join();

/** The part of a ring from one position to another, counterclockwise. */
function band(from, to, { from: inner, to: outer }) {
  const large = to - from > 0.5 ? 1 : 0;
  const middle = (from + to) / 2; // two arcs each, since one cannot close a circle
  const half = large ? `A${outer},${outer} 0 0,0 ${point(middle, outer)}` : "";
  const back = large ? `A${inner},${inner} 0 0,1 ${point(middle, inner)}` : "";
  return (
    `M${point(from, outer)}${half}A${outer},${outer} 0 0,0 ${point(to, outer)}` +
    `L${point(to, inner)}${back}A${inner},${inner} 0 0,1 ${point(from, inner)}Z`
  );
}

/** Runs of equal values around the grid, as { value, from, to } in turns; a run over the end is one, with `to` above 1. */
function runs(values) {
  const n = values.length;
  const starts = values.flatMap((value, i) => (value !== values[(i + n - 1) % n] ? [i] : []));
  if (starts.length === 0) return [{ value: values[0], from: 0, to: 1 }];
  return starts.map((start, r) => {
    const end = r + 1 < starts.length ? starts[r + 1] : starts[0] + n;
    return { value: values[start], from: start / n, to: end / n };
  });
}

/** Draws into an <svg> with viewBox "-1.5 -1.5 3 3"; `handle` of the returned object is where the pointer is listened to. */
export function createRing(svg) {
  const rings = RINGS.map(() => element("g"));
  const dots = element("g");
  const hand = element("g", { class: "hand" });
  const handle = element("path", {
    class: "handle",
    d: "M1.42,0A1.42,1.42 0 1,0 -1.42,0A1.42,1.42 0 1,0 1.42,0ZM.62,0A.62,.62 0 1,1 -.62,0A.62,.62 0 1,1 .62,0Z",
  });
  hand.append(element("path", { d: "M.66,0H1.44" }));
  const centre = [-0.3, -0.14, 0.1, 0.26].map((y, line) => {
    const text = element("text", { y, class: line % 2 === 0 ? "what" : "figure" });
    text.textContent = ["first guess right", "–", "one of two right", "–"][line];
    return text;
  });
  svg.append(element("circle", { r: 1, class: "rim" }), ...rings, dots, hand, handle, ...centre);

  return {
    handle,

    /** `marked` are some of the points. */
    showPoints(points, marked) {
      dots.replaceChildren(
        ...points.map((one) => {
          const [x, y] = at(one.turns, LANES[one.label]);
          const isMarked = marked.includes(one);
          return element("path", {
            d: shapes[one.label],
            class: `class-${one.label}${isMarked ? " marked" : ""}`,
            transform: `translate(${x.toFixed(4)} ${y.toFixed(4)}) scale(${isMarked ? 2 : 1})`,
          });
        }),
      );
    },

    /** `ranks` as of rankGrid. */
    showGuesses(ranks) {
      rings.forEach((ring, guess) => {
        const bands = runs(ranks.map((order) => order[guess])).flatMap(({ value, from, to }) => {
          const name = CLASSES[value];
          const path = element("path", { d: band(from, to, RINGS[guess]), class: `class-${name}` });
          if (to - from < 0.02) return [path];
          const [x, y] = at((from + to) / 2, (RINGS[guess].from + RINGS[guess].to) / 2);
          const letter = element("text", { x: x.toFixed(3), y: y.toFixed(3), class: "letter" });
          letter.textContent = name;
          return [path, letter];
        });
        ring.replaceChildren(...bands);
      });
    },

    /** Nothing has been learned. */
    showNothing() {
      rings.forEach((ring) => ring.replaceChildren());
      this.showFigures("–", "–");
    },

    showFigures(first, second) {
      centre[1].textContent = first;
      centre[3].textContent = second;
    },

    showHand: (turns) => hand.setAttribute("transform", `rotate(${-360 * turns})`),
  };
}

/** Where on the circle a pointer is, in turns, and how far from the centre. */
export function locate(svg, { clientX, clientY }) {
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
  const turns = Math.atan2(-y, x) / (2 * Math.PI);
  return { turns: turns < 0 ? turns + 1 : turns, x, y };
}

/** The point drawn closest to a place, or undefined where none is within `reach`. */
export function nearest(points, { x, y }, reach) {
  let best;
  let least = reach;
  points.forEach((one) => {
    const [px, py] = at(one.turns, LANES[one.label]);
    const distance = Math.hypot(px - x, py - y);
    if (distance < least) [best, least] = [one, distance];
  });
  return best;
}
