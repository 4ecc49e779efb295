// A file that is mounted by itself, as containers do, can be written, but no other can take its place.
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, expect, test } from "vitest";
import { load } from "../../src/index.ts";
import { useFolder } from "./runCli.ts";

const { run, write, list, path } = useFolder();
const train = "train data.csv --model m --quiet";
const { open, rename } = fs;

/** Lets no file take the place of another, for everyone who imports from Node. */
function refuseToRename(code: string): void {
  fs.rename = (from, to) => Promise.reject(Object.assign(new Error(`${code}: rename '${from}' -> '${to}'`), { code }));
  syncBuiltinESMExports();
}
/** Lets no file be flushed to the disk. */
function refuseToSync(code: string): void {
  fs.open = async (...args) => {
    const handle = await open(...args);
    handle.sync = () => Promise.reject(Object.assign(new Error(`${code}: fsync`), { code }));
    return handle;
  };
  syncBuiltinESMExports();
}
afterEach(() => {
  fs.open = open;
  fs.rename = rename;
  syncBuiltinESMExports();
});

test("it is written in place", async () => {
  refuseToRename("EBUSY");
  await write("data.csv", "label,x\na,1\nb,2\n");
  await write("m", "what was there before, and is longer than a model of two classes and one feature ".repeat(20));
  expect(await run(train)).toMatchObject({ code: 0, stderr: "" });
  expect(load(await fs.readFile(path("m"))).classes).toEqual(["a", "b"]);
  expect(await list()).toEqual(["data.csv", "m"]);
});

test("for any other reason what was there stays, and nothing else", async () => {
  refuseToRename("EACCES");
  await write("data.csv", "label,x\na,1\nb,2\n");
  await write("m", "before");
  expect(await run(train)).toEqual({ code: 1, stdout: "", stderr: "topk-sdca: m: permission denied\n" });
  expect(await fs.readFile(path("m"), "utf8")).toBe("before");
  expect(await list()).toEqual(["data.csv", "m"]);
});

test.each(["EINVAL", "ENOTSUP"])("where there is no flushing, %s, a file is written all the same", async (code) => {
  refuseToSync(code);
  await write("data.csv", "label,x\na,1\nb,2\n");
  expect(await run(train)).toMatchObject({ code: 0, stderr: "" });
  expect(load(await fs.readFile(path("m"))).classes).toEqual(["a", "b"]);
});

test("a disk that is full when a file is flushed leaves what was there", async () => {
  refuseToSync("ENOSPC");
  await write("data.csv", "label,x\na,1\nb,2\n");
  await write("m", "before");
  expect(await run(train)).toEqual({ code: 1, stdout: "", stderr: "topk-sdca: m: no space left on the device\n" });
  expect(await fs.readFile(path("m"), "utf8")).toBe("before");
  expect(await list()).toEqual(["data.csv", "m"]);
});
