/** One line per model on a stream: rewritten in place on a terminal, else a line every few seconds and one at the end. */
export function createProgress(stream) {
  let shown = 0;
  let lastSeconds = 0;
  const write = (text, end) => {
    if (stream.isTTY) {
      const line = text.slice(0, (stream.columns || 80) - 1);
      stream.write(`\r${line.padEnd(shown)}${end ? "\n" : ""}`);
      shown = end ? 0 : line.length;
    } else {
      stream.write(`${text}\n`);
    }
  };
  const describe = (name, { epoch, relativeGap, seconds }) =>
    `${name}: epoch ${epoch}, relative gap ${relativeGap.toExponential(1)}, ${seconds.toFixed(1)} s`;
  return {
    update(name, record) {
      if (!stream.isTTY && record.seconds < lastSeconds + 2) return;
      lastSeconds = record.seconds;
      write(describe(name, record), false);
    },
    finish(name, record, status) {
      lastSeconds = 0;
      write(`${describe(name, record)}, ${status}`, true);
    },
  };
}
