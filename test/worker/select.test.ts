// The workers that `select` starts itself: of node:worker_threads, for which the built package runs, or module workers of Chromium.
import { afterEach, describe, expect, test, vi } from "vitest";
import * as source from "../../src/index.ts";
import { clouds } from "../helpers/data.ts";
import { untimed } from "../helpers/untimed.ts";
import { bitsOf, inPage } from "./helpers.ts";

const built = new URL("../../dist/index.js", import.meta.url).href;
const { select } = inPage ? source : ((await import(/* @vite-ignore */ built)) as typeof source);

const { features, labels } = clouds(60, 4, 3, 5);
const grid = { C: [0.1, 1], gamma: [0, 1] };
const o = { grid, folds: 3, options: { loss: "hinge" } } as const;

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Sees to it that workers are of this class, in Node those of its threads. */
function useWorker(Class: unknown): void {
  if (inPage) vi.stubGlobal("Worker", Class);
  else {
    const { getBuiltinModule } = process;
    vi.spyOn(process, "getBuiltinModule").mockImplementation(
      (name: string) => (name === "worker_threads" ? { Worker: Class } : getBuiltinModule(name)) as never,
    );
  }
}

interface Counts {
  started: number;
  ended: number;
  /** Of each worker, what it was asked for: the fit that shows that it has started, and those of the selection. */
  fits: number[];
}

/** Counts the workers, which are as ever. */
async function countWorkers(): Promise<Counts> {
  const counts: Counts = { started: 0, ended: 0, fits: [] };
  const Base = inPage ? Worker : ((await import("node:worker_threads")).Worker as unknown as typeof Worker);
  class Counted extends Base {
    readonly #place = counts.started++;
    override postMessage(...message: [unknown, any]): void {
      counts.fits[this.#place] = (counts.fits[this.#place] ?? 0) + 1;
      super.postMessage(...message);
    }
    override terminate(): void {
      counts.ended++;
      return super.terminate();
    }
  }
  useWorker(Counted);
  return counts;
}

/** All that is found out but the times, and the model. */
function resultOf({ table, best, model }: source.Selection): object {
  return { table: table.map(untimed), best, model: bitsOf(model) };
}

describe("a count of workers", () => {
  test("gives the same table and the same model as 1, and they end", async () => {
    const workers = 2;
    const counts = await countWorkers();
    const done: number[] = [];
    const there = await select(features, labels, { ...o, workers, onProgress: (count) => done.push(count) });
    expect(counts).toMatchObject({ started: workers, ended: workers });
    for (const fits of counts.fits) expect(fits).toBeGreaterThan(1);
    expect(counts.fits.reduce((sum, fits) => sum + fits)).toBe(workers + 13);
    expect(done).toEqual(Array.from({ length: 13 }, (_, i) => i + 1));
    expect(resultOf(there)).toEqual(resultOf(await select(features, labels, { ...o, workers: 1 })));
    expect(counts.started).toBe(workers);
  });

  test("also of many classes, where models keep what is not zero of their dual variables", async () => {
    const many = clouds(200, 4, 30);
    const call = (workers: number): Promise<source.Selection> =>
      select(many.features, many.labels, { grid: { C: [0.1, 1] }, folds: 2, options: { loss: "hinge" }, workers });
    expect(resultOf(await call(2))).toEqual(resultOf(await call(1)));
  });

  test.skipIf(inPage)("larger than the number of paths: one for each", async () => {
    const counts = await countWorkers();
    const validation = { features, labels };
    const workers = Number.MAX_SAFE_INTEGER;
    const { table } = await select(features, labels, { grid, validation, options: o.options, workers });
    expect(table).toHaveLength(4);
    expect(counts).toEqual({ started: 2, ended: 2, fits: [3, 3] });
  });

  test("they end with a selection that is aborted, with its reason", async () => {
    const counts = await countWorkers();
    const stop = new AbortController();
    const reason = new Error("enough");
    const onProgress = (): void => stop.abort(reason);
    const call = select(features, labels, { ...o, workers: 2, signal: stop.signal, onProgress });
    await expect(call).rejects.toBe(reason);
    expect(counts).toMatchObject({ started: 2, ended: 2 });
  });

  test.skipIf(inPage)("and with one in which onProgress throws", async () => {
    const counts = await countWorkers();
    const mine = new Error("mine");
    const onProgress = (): never => {
      throw mine;
    };
    await expect(select(features, labels, { ...o, workers: 2, onProgress })).rejects.toBe(mine);
    expect(counts).toMatchObject({ started: 2, ended: 2 });
  });

  test("are not started where something is refused", async () => {
    const counts = await countWorkers();
    await expect(select(features, labels.slice(1), { ...o, workers: 2 })).rejects.toThrow(RangeError);
    await expect(select(features, labels, { ...o, workers: 2, signal: AbortSignal.abort() })).rejects.toThrow();
    expect(counts.started).toBe(0);
  });
});

describe("where no worker starts, fits run here:", () => {
  /** A worker whose script never answers. */
  let silent: { ended: boolean }[] = [];
  class Silent {
    ended = false;
    constructor() {
      silent.push(this);
    }
    postMessage(): void {}
    addEventListener(): void {}
    terminate(): void {
      this.ended = true;
    }
  }
  afterEach(() => {
    silent = [];
  });

  const expectSame = async (selecting: Promise<source.Selection>): Promise<void> =>
    expect(resultOf(await selecting)).toEqual(resultOf(await select(features, labels, o)));

  test("one that is forbidden", async () => {
    useWorker(
      class {
        constructor() {
          throw new Error("forbidden");
        }
      },
    );
    await expectSame(select(features, labels, { ...o, workers: 2 }));
  });

  test.skipIf(inPage)("one whose script is not there, as in a run of the sources in Node", async () => {
    const counts = await countWorkers();
    await expectSame(source.select(features, labels, { ...o, workers: 2 }));
    expect(counts).toEqual({ started: 2, ended: 2, fits: [1, 1] });
  });

  test("one that never answers, after ten seconds", async () => {
    useWorker(Silent);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const selecting = select(features, labels, { ...o, workers: 2 });
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(4)); // of each worker, and of the fit that is asked of it
    expect(silent.map(({ ended }) => ended)).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(10_000);
    await expectSame(selecting);
    expect(silent.map(({ ended }) => ended)).toEqual([true, true]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("but not once the selection is aborted meanwhile", async () => {
    useWorker(Silent);
    const stop = new AbortController();
    const reason = new Error("enough");
    const selecting = select(features, labels, { ...o, workers: 2, signal: stop.signal });
    await vi.waitFor(() => expect(silent).toHaveLength(2));
    stop.abort(reason);
    await expect(selecting).rejects.toBe(reason);
    expect(silent.map(({ ended }) => ended)).toEqual([true, true]);
  });
});
