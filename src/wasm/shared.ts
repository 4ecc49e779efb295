import { check, readOptions, type Constraint } from "../constraints.ts";
import { kindOf } from "../platform/kindOf.ts";
import { roundUp } from "./arena.ts";
import { compile, ensureBytes, instantiate, type Instance } from "./load.ts";

let shared: Promise<Instance> | undefined;
let ready: Instance | undefined;

const aSource: Constraint = {
  must: "a URL, a Response, the bytes of the binary or a WebAssembly.Module",
  kind: (v) => typeof v === "object" && v !== null && !/^(Promise|Array)$/.test(kindOf(v)),
  hint: (v) => (typeof v === "string" ? "; new URL(text, import.meta.url) makes one" : ""),
};

/**
 * Compiles the kernels once. Implied by `fit`; where nothing was fitted, needed before `prox`, `losses` and `evaluate`
 * of a model. Models of the main entry score many dense rows by them, too, in a fraction of the time. `wasm` is an own
 * source of the binary, the file "topk-sdca/core.wasm", for set-ups that must not decode it from JavaScript: a URL, a
 * Response, its bytes or a WebAssembly.Module. Idempotent: after the first success further calls change nothing.
 *
 * @throws TypeError if `wasm` is no such thing; Error if it cannot be fetched or compiled or is another module, or if
 * WebAssembly is missing, has no SIMD, or is blocked by a Content-Security-Policy; it says which.
 * @example
 * await init();
 * prox.knapsack([0.5, 2, 1.5], { radius: 2 }); // [0, 1.25, 0.75]
 */
export async function init(options?: {
  wasm?: URL | Response | ArrayBuffer | ArrayBufferView | object | undefined;
}): Promise<void> {
  const { wasm } = readOptions("init", options, ["wasm"]);
  if (wasm !== undefined) check("init", "wasm", wasm, aSource);
  if (ready) return;
  await compile(wasm);
  shared ??= instantiate("init", 0, true);
  try {
    ready = await shared;
  } catch (error) {
    shared = undefined;
    throw error;
  }
}

/** Whether the kernels are compiled, so that there is something to borrow. */
export const isReady = (): boolean => ready !== undefined;

/** The instance that serves proximal maps and losses, with float64 room for `lengths` from `base` on. */
export function borrow(caller: string, lengths: readonly number[]): { instance: Instance; at: number[] } {
  if (!ready) throw new Error(`${caller}: the kernels are not compiled yet; await init() first`);
  let end = roundUp(ready.kernels.heapBase.value, 16);
  const at = lengths.map((length) => {
    const offset = end;
    end += roundUp(8 * length, 16);
    return offset;
  });
  ensureBytes(caller, ready, end);
  return { instance: ready, at };
}
