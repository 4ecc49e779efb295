// Points are added, moved and removed: by mouse or finger, and by keys with a hand that goes around the circle.
import { locate, nearest } from "./ring.js";

/** In units of the drawing, where the circle has radius 1. */
const REACH = 0.09;
const STEP = 1 / 180;

const between = (a, b) => Math.min(Math.abs(a - b), 1 - Math.abs(a - b));
const wrap = (turns) => turns - Math.floor(turns);

/**
 * @param {SVGElement} svg focusable, with what createRing drew
 * @param {{ points: { turns: number, label: string }[], mode(): string, changed(): void, say(text: string): void }} options
 *   `points` is changed in place; mode() is a class, of which a click adds a point, or "remove"
 */
export function makeEditable(svg, ring, { points, mode, changed, say }) {
  let hand = 0.125;
  let held = -1;

  const draw = () => ring.showPoints(points, held);
  const update = () => {
    draw();
    changed();
  };
  const closest = () => {
    const distances = points.map(({ turns }) => between(turns, hand));
    return distances.indexOf(Math.min(...distances));
  };
  const remove = (i) => {
    say(`Removed a point of kind ${points[i].label}; ${points.length - 1} are left.`);
    points.splice(i, 1);
    held = -1;
    update();
  };
  const add = (label, turns) => {
    points.push({ turns, label });
    say(`Added a point of kind ${label}; there are ${points.length}.`);
  };

  ring.handle.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const place = locate(svg, event);
    const found = nearest(points, place, REACH);
    if (mode() === "remove") {
      if (found >= 0) remove(found);
      return;
    }
    if (found < 0) add(mode(), place.turns);
    held = found < 0 ? points.length - 1 : found;
    ring.handle.setPointerCapture(event.pointerId);
    update();
  });
  ring.handle.addEventListener("pointermove", (event) => {
    if (held < 0 || !ring.handle.hasPointerCapture(event.pointerId)) return;
    points[held].turns = locate(svg, event).turns;
    update();
  });
  for (const end of ["pointerup", "pointercancel"]) {
    ring.handle.addEventListener(end, () => {
      held = -1;
      draw();
    });
  }

  const keys = {
    ArrowLeft: () => turn(STEP),
    ArrowUp: () => turn(STEP),
    ArrowRight: () => turn(-STEP),
    ArrowDown: () => turn(-STEP),
    Enter: () => {
      if (mode() === "remove") return keys.Delete();
      add(mode(), hand);
      update();
    },
    " ": () => {
      held = held >= 0 || points.length === 0 ? -1 : closest();
      say(held < 0 ? "Put down." : `Holding a point of kind ${points[held].label}; the arrow keys move it.`);
      if (held >= 0) hand = points[held].turns;
      ring.showHand(hand);
      draw();
    },
    Delete: () => points.length > 0 && remove(held >= 0 ? held : closest()),
  };
  keys.Backspace = keys.Delete;

  function turn(by) {
    hand = wrap(hand + by);
    ring.showHand(hand);
    if (held < 0) return;
    points[held].turns = hand;
    update();
  }

  svg.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault(); // the arrow keys would scroll
    keys[event.key]();
  });
  svg.addEventListener("blur", () => {
    held = -1;
    draw();
  });
  ring.showHand(hand);
  draw();
  return { draw };
}
