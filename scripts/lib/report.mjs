// Tables and machine facts for the scripts that print measurements.
import { cpus } from "node:os";

const isNumeric = (cell) => /^([<>] ?)?-?\d/.test(cell);

/** Columns of numbers are set flush right. `rows` are arrays of strings, the first holds the headings. */
function columns(rows, leastWidth = 1) {
  return rows[0].map((_, j) => ({
    width: Math.max(leastWidth, ...rows.map((row) => row[j].length)),
    right: rows.slice(1).every((row) => isNumeric(row[j]) || row[j] === "" || row[j] === "-"),
  }));
}

const pad = (cell, { width, right }) => (right ? cell.padStart(width) : cell.padEnd(width));

/** For a terminal: aligned, headings underlined. */
export function textTable(rows) {
  const shape = columns(rows);
  const rule = shape.map(({ width }) => "-".repeat(width));
  const lines = [rows[0], rule, ...rows.slice(1)];
  return lines
    .map((row) =>
      row
        .map((cell, j) => pad(cell, shape[j]))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** The same as Markdown. */
export function markdownTable(rows) {
  const shape = columns(rows, 3); // as prettier sets it
  const rule = shape.map(({ width, right }) => (right ? "-".repeat(width - 1) + ":" : "-".repeat(width)));
  const lines = [rows[0], rule, ...rows.slice(1)];
  return lines.map((row) => `| ${row.map((cell, j) => pad(cell, shape[j])).join(" | ")} |`).join("\n");
}

export function machine() {
  const cores = cpus();
  return {
    cpu: cores[0]?.model.trim() || "unknown processor",
    cores: cores.length,
    system: `${process.platform} ${process.arch}`,
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
  };
}

export function describeMachine({ cpu, cores, system, node, date }) {
  return `${cpu}, ${cores} cores, ${system}, Node ${node}, ${date}`;
}
