import { randomUUID } from "node:crypto";
import { rmSync, type Stats } from "node:fs";
import { access, constants, copyFile, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { fileError, InputError } from "./errors.ts";

/** A file that is being written; nothing of it can be seen under its name before `commit`. */
interface Target {
  write(content: string | Uint8Array): Promise<void>;
  commit(): Promise<void>;
  /** Does nothing after `commit`. */
  discard(): Promise<void>;
}

const temporaries = new Set<string>();
let committed = false;

/** Whether a file is in its place. */
export const hasCommitted = (): boolean => committed;

/** For an exit that waits for nothing. */
export function removeTemporaries(): void {
  for (const file of temporaries) rmSync(file, { force: true });
}

/** Throws if it can be known beforehand that `path` cannot be written. */
export async function checkWritable(path: string): Promise<void> {
  if (path === "-") return;
  try {
    const found = await statOrNothing(path);
    if (found?.isDirectory() || path.endsWith("/") || path.endsWith(sep))
      throw new InputError(`${path}: is a folder, not a file`);
    if (found && !found.isFile()) return;
    await access(dirname(await resolveLink(path)), constants.W_OK);
  } catch (error) {
    throw error instanceof InputError ? error : fileError(path, error);
  }
}

/** Refuses to write where one of the files that are read is. `flag` says what is written. */
export async function refuseOverwriting(
  flag: string,
  target: string,
  inputs: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (target === "-") return;
  const place = await resolveLink(resolve(target));
  for (const [what, path] of Object.entries(inputs)) {
    if (path === undefined || path === "-" || (await resolveLink(resolve(path))) !== place) continue;
    throw new InputError(`${flag} ${target} would overwrite the ${what}`);
  }
}

/** Opens `path` for writing, "-" for `stdout`: a neighbour first, which takes its place when it is whole. */
export async function openWhole(path: string, stdout: NodeJS.WriteStream): Promise<Target> {
  if (path === "-") return streamed(stdout);
  try {
    const found = await statOrNothing(path);
    const direct = found !== undefined && !found.isFile(); // a device or a pipe has no place to be taken
    const place = direct ? path : await resolveLink(path);
    // Not the number of the process: it may be that of one before, which was ended and has left its file.
    const temporary = direct ? undefined : join(dirname(place), `.topk-sdca-${randomUUID()}.tmp`);
    const handle = await open(temporary ?? path, temporary ? "wx" : "w");
    if (temporary) temporaries.add(temporary);
    if (temporary && found) {
      // That of before, whatever is masked for new files; not every file system has modes.
      await handle.chmod(found.mode & 0o777).catch(() => {});
    }
    let closed = false;
    const close = async (): Promise<void> => {
      if (!closed) await handle.close();
      closed = true;
    };
    return {
      write: (content) => naming(path, async () => void (await handle.writeFile(content))),
      commit: () =>
        naming(path, async () => {
          if (temporary) await handle.sync().catch(unlessUnknown);
          await close();
          if (temporary) await putInPlace(temporary, place);
          if (temporary) temporaries.delete(temporary);
          committed = true;
        }),
      discard: async () => {
        await close();
        if (!temporary || !temporaries.delete(temporary)) return;
        rmSync(temporary, { force: true });
      },
    };
  } catch (error) {
    throw fileError(path, error);
  }
}

/** Some network mounts know no `sync`: better a file that is only closed than none. */
function unlessUnknown(error: NodeJS.ErrnoException): void {
  if (error.code !== "EINVAL" && error.code !== "ENOTSUP") throw error;
}

/** A file that is mounted by itself cannot be replaced, only written: better than to lose what may have taken hours. */
async function putInPlace(temporary: string, place: string): Promise<void> {
  try {
    await rename(temporary, place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EBUSY") throw error;
    await copyFile(temporary, place);
    await rm(temporary, { force: true });
  }
}

/** Writes a whole file, or nothing. */
export async function writeWhole(
  path: string,
  content: string | Uint8Array,
  stdout: NodeJS.WriteStream,
): Promise<void> {
  const target = await openWhole(path, stdout);
  try {
    await target.write(content);
    await target.commit();
  } finally {
    await target.discard();
  }
}

/** What is written to a stream can be seen at once, and stays. */
const streamed = (stream: NodeJS.WriteStream): Target => ({
  write: (content) =>
    new Promise((resolve, reject) => {
      stream.write(content, (error) => (error ? reject(error) : resolve()));
    }),
  async commit() {},
  async discard() {},
});

async function naming(path: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    throw fileError(path, error);
  }
}

async function statOrNothing(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Where a symbolic link leads, though nothing be there yet, so that the link stays one. */
async function resolveLink(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") return path;
    const next = await readlink(path).catch(() => undefined);
    return next === undefined ? path : resolveLink(resolve(dirname(path), next));
  }
}
