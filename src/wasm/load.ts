import { instantiate as instantiateModule } from "@assemblyscript/loader";
import { formatBytes } from "../errors.ts";
import { awake } from "../platform/awake.ts";
import { fromBase64 } from "../platform/base64.ts";
import { builtin } from "../platform/builtin.ts";
import { kindOf } from "../platform/kindOf.ts";
import { kernelsId, kernelsLength, kernelsText } from "./kernels.generated.ts";
import type { Kernels } from "./kernels.ts";

// What is exported here reaches the declarations of the package, and so does without the types of WebAssembly, which
// come with those of the DOM: not every project has them.

/** What there is to compile. A WebAssembly.Module, the last of these, has no members. */
export type Source = URL | Response | ArrayBuffer | ArrayBufferView | object;

/** Kernels and the memory they work on. Dropping both frees the memory. */
export interface Instance {
  readonly kernels: Kernels;
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
}

const PAGE_BYTES = 65536;
/** What a 32-bit WebAssembly memory can hold. */
export const MAX_MEMORY_BYTES = 65536 * PAGE_BYTES;

let compiled: Promise<WebAssembly.Module> | undefined;

const NEEDS = "(needs Chrome 93, Firefox 113, Safari 16.4, Node 20.19 or later)";

/**
 * What we need of Node's modules. Streams take Node 10 ms to load, and a loop over characters takes 4 ms while it is
 * new.
 */
interface Zlib {
  inflateSync(deflated: Uint8Array): Uint8Array<ArrayBuffer>;
}
interface Buffers {
  readonly Buffer: { from(text: string, encoding: "base64"): Uint8Array };
}
/** Its `fetch` has no files. */
interface Files {
  readFileSync(path: URL): Uint8Array<ArrayBuffer>;
}

/** The bundled binary. By hand: `Response` and `Blob` would do it in a line, and in Node take 30 ms to load. */
async function inflateKernels(): Promise<Uint8Array<ArrayBuffer>> {
  const zlib = builtin<Zlib>("zlib");
  const buffers = builtin<Buffers>("buffer");
  if (zlib && buffers) return zlib.inflateSync(buffers.Buffer.from(kernelsText(), "base64"));
  if (typeof DecompressionStream !== "function") {
    throw new Error(`init: this engine has no DecompressionStream ${NEEDS}`);
  }
  const { writable, readable } = new DecompressionStream("deflate");
  const writer = writable.getWriter();
  const written = Promise.all([writer.write(fromBase64(kernelsText())), writer.close()]);
  written.catch(() => {}); // reading says it first
  const bytes = new Uint8Array(kernelsLength);
  let length = 0;
  const reader = readable.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    bytes.set(next.value, length);
    length += next.value.length;
  }
  await written;
  return bytes.subarray(0, length);
}

/** What a URL has: a file where there are any, else the answer to a request. */
async function fetchFrom(url: URL): Promise<BufferSource | Response> {
  const files = url.protocol === "file:" ? builtin<Files>("fs") : undefined;
  try {
    return files ? files.readFileSync(url) : await fetch(url);
  } catch (cause) {
    throw new Error(`init: "wasm" could not be fetched from ${url.href}: ${(cause as Error).message}`, { cause });
  }
}

// By their kinds: what a frame or another context of Node has made is no instance of the classes here.
const isURL = (source: Source): source is URL => kindOf(source) === "URL";
const isResponse = (source: Source): source is Response => kindOf(source) === "Response";
const isModule = (source: Source | undefined): source is WebAssembly.Module => kindOf(source) === "WebAssembly.Module";

async function bytesOf(source: Source): Promise<BufferSource> {
  if (isURL(source)) source = await fetchFrom(source);
  if (isResponse(source)) {
    if (!source.ok)
      throw new Error(
        `init: "wasm" could not be fetched, status ${source.status}${source.url && ` for ${source.url}`}`,
      );
    return source.arrayBuffer().catch((cause: Error) => {
      throw new Error(`init: "wasm" could not be read: ${cause.message}`, { cause });
    });
  }
  // Of views, engines compile typed arrays only.
  if (!ArrayBuffer.isView(source)) return source as BufferSource;
  return new Uint8Array(source.buffer as ArrayBuffer, source.byteOffset, source.byteLength);
}

/** The module, if it is the one that was built with this: what is compiled is kept for all fits. */
function checked(module: WebAssembly.Module): WebAssembly.Module {
  const [id] = WebAssembly.Module.customSections(module, "topk-sdca");
  if (!id) throw new Error('init: "wasm" is another WebAssembly module, not the kernels of this package');
  if (new TextDecoder().decode(id) === kernelsId) return module;
  throw new Error('init: "wasm" has the kernels of another version of this package');
}

/** Compiles the bundled kernels, or those of an own source, and says what is wrong where that fails. */
export async function compileKernels(source: Source | undefined): Promise<object> {
  if (typeof WebAssembly !== "object") {
    throw new Error("init: this environment has no WebAssembly");
  }
  if (isModule(source)) return checked(source);
  const bytes = await (source === undefined ? inflateKernels() : bytesOf(source));
  let module: WebAssembly.Module;
  try {
    module = await awake(WebAssembly.compile(bytes));
  } catch (cause) {
    const message = String((cause as Error)?.message ?? cause);
    if (/content security policy|unsafe-eval|blocked by csp/i.test(message)) {
      throw new Error(
        "init: WebAssembly is blocked by this page's Content-Security-Policy; add 'wasm-unsafe-eval' to script-src",
        { cause },
      );
    }
    if (source === undefined && !WebAssembly.validate(bytes)) {
      throw new Error(`init: this engine has no WebAssembly SIMD ${NEEDS}`, { cause });
    }
    throw new Error(`init: the kernels could not be compiled: ${message}`, { cause });
  }
  return checked(module);
}

/** Compiles the kernels once; later calls, with or without a source, share that result. A failure is not remembered. */
export async function compile(source?: Source): Promise<object> {
  compiled ??= compileKernels(source);
  try {
    return await compiled;
  } catch (error) {
    compiled = undefined;
    throw error;
  }
}

/**
 * However small, a memory takes up gigabytes of addresses until the engine collects it, which for so little it takes
 * its time to do, and a page has addresses for about a hundred, in all of its threads together. So memories of few
 * pages all have as many, and serve again.
 */
const FEW_PAGES = 16;
/** Small memories that are free. */
const spare: WebAssembly.Memory[] = [];
const MOST_SPARE = 4;

/** A memory of zeros that is not to grow. */
function takeMemory(pages: number): WebAssembly.Memory {
  const free = pages <= FEW_PAGES ? spare.pop() : undefined;
  if (free) new Uint8Array(free.buffer).fill(0);
  const size = Math.max(pages, FEW_PAGES);
  return free ?? new WebAssembly.Memory({ initial: size, maximum: size });
}

/** Takes back the memory of an instance that nobody uses any more. */
export function giveBack({ memory }: Instance): void {
  const isSmall = memory.buffer.byteLength === FEW_PAGES * PAGE_BYTES;
  if (isSmall && spare.length < MOST_SPARE) spare.push(memory as WebAssembly.Memory);
}

/**
 * A fresh instance with at least `bytes` of memory. A shared, growing memory may grow to all there is; a fit's never
 * grows.
 */
export async function instantiate(caller: string, bytes: number, growing = false): Promise<Instance> {
  const module = await compile();
  const initial = Math.max(1, Math.ceil(bytes / PAGE_BYTES));
  let memory: WebAssembly.Memory;
  try {
    memory = growing ? new WebAssembly.Memory({ initial, maximum: 65536 }) : takeMemory(initial);
  } catch (cause) {
    throw new RangeError(`${caller}: could not allocate ${formatBytes(initial * PAGE_BYTES)} of WebAssembly memory`, {
      cause,
    });
  }
  const { instance } = await awake(instantiateModule(module, { env: { memory } }));
  return { kernels: instance.exports as unknown as Kernels, memory };
}

/** Grows a shared memory to at least `bytes`. Existing views of it become empty. */
export function ensureBytes(caller: string, { memory }: Instance, bytes: number): void {
  const missing = Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES);
  if (missing <= 0) return;
  try {
    memory.grow(missing);
  } catch (cause) {
    throw new RangeError(`${caller}: could not allocate ${formatBytes(bytes)} of WebAssembly memory`, { cause });
  }
}
