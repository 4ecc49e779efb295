// Points are added, moved and removed: by mouse or finger, and by keys with a hand that goes around the circle.
import { locate, nearest } from "./ring.js";

/** In units of the drawing, where the circle has radius 1. */
const REACH = 0.09;
const STEP = 1 / 180;

const HAND = "hand";

const between = (a, b) => Math.min(Math.abs(a - b), 1 - Math.abs(a - b));
const wrap = (turns) => turns - Math.floor(turns);

/**
 * @param {SVGElement} svg focusable, with what createRing drew
 * @param {{ points: { turns: number, label: string }[], mode(): string, changed(): void, say(text: string): void }} options
 *   `points` is changed in place; mode() is a class, of which a click adds a point, or "remove"
 */
export function makeEditable(svg, ring, { points, mode, changed, say }) {
  let hand = 0.125;
  /** The points that are held, by the pointer, each finger being one, or by the HAND. */
  const held = new Map();

  const draw = () => ring.showPoints(points, [...held.values()]);
  const update = () => {
    draw();
    changed();
  };
  const closest = () => {
    const distances = points.map(({ turns }) => between(turns, hand));
    return points[distances.indexOf(Math.min(...distances))];
  };
  const remove = (point) => {
    points.splice(points.indexOf(point), 1);
    for (const [by, one] of held) if (one === point) held.delete(by);
    say(`Removed a point of kind ${point.label}; ${points.length} ${points.length === 1 ? "is" : "are"} left.`);
    update();
  };
  const add = (label, turns) => {
    const point = { turns, label };
    points.push(point);
    say(`Added a point of kind ${label}; there are ${points.length}.`);
    return point;
  };
  const putDown = (by) => {
    held.delete(by);
    draw();
  };

  // A finger there does not scroll, while in the middle of the drawing it does. touch-action does not reach inside of an <svg> in Chromium.
  ring.handle.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
  ring.handle.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const place = locate(svg, event);
    const found = nearest(points, place, REACH);
    if (mode() === "remove") {
      if (found) remove(found);
      return;
    }
    held.set(event.pointerId, found ?? add(mode(), place.turns));
    ring.handle.setPointerCapture(event.pointerId);
    update();
  });
  ring.handle.addEventListener("pointermove", (event) => {
    const point = held.get(event.pointerId);
    if (!point) return;
    point.turns = locate(svg, event).turns;
    update();
  });
  for (const end of ["pointerup", "pointercancel"]) {
    ring.handle.addEventListener(end, ({ pointerId }) => putDown(pointerId));
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
      if (held.has(HAND)) {
        say("Put down.");
        return putDown(HAND);
      }
      if (points.length === 0) return say("There is no point to pick up.");
      const point = closest();
      held.set(HAND, point);
      say(`Holding a point of kind ${point.label}; the arrow keys move it.`);
      hand = point.turns;
      ring.showHand(hand);
      draw();
    },
    Delete: () => {
      if (points.length === 0) return say("There is no point to remove.");
      remove(held.get(HAND) ?? closest());
    },
  };
  keys.Backspace = keys.Delete;

  function turn(by) {
    hand = wrap(hand + by);
    ring.showHand(hand);
    if (!held.has(HAND)) return;
    held.get(HAND).turns = hand;
    update();
  }

  svg.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault(); // the arrow keys would scroll
    keys[event.key]();
  });
  svg.addEventListener("blur", () => putDown(HAND));
  ring.showHand(hand);
  draw();
  return {
    /** Shows points that have come in place of all others; none of them is held. */
    renew() {
      held.clear();
      draw();
    },
  };
}
