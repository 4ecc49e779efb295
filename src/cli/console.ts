import pc from "picocolors";

/** Where a command reads and writes that is no file, and where it leaves its exit code early: what a process has. */
export type Io = Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "exitCode">;

export type Colors = ReturnType<typeof pc.createColors>;

/**
 * Colours for a stream: on a terminal only, and not where NO_COLOR is set. The comparison matters: `isTTY` is undefined
 * for a pipe, and picocolors takes undefined for "decide yourself", which colours the pipes of build services that set
 * CI.
 */
export const colorsFor = (stream: NodeJS.WriteStream): Colors =>
  pc.createColors(stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb");

/** Waits until all that was written has left; a reader that went away is no error. */
export const flush = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) return resolve();
    stream.write("", () => resolve());
  });
