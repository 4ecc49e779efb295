import { plainOf } from "../arrays/plainOf.ts";
import { boolean, check, isRecord } from "../constraints.ts";
import { refuse } from "../errors.ts";
import type { Here } from "../here.ts";
import { onAbort } from "../pace/onAbort.ts";
import { finish } from "../pace/steps.ts";
import { untilAborted } from "../pace/untilAborted.ts";
import { kindOf } from "../platform/kindOf.ts";
import type { Features, FitOptions, Label, Labels, LabelSets, Model, Remote, RemoteOptions } from "../types.ts";
import { checkChannel, listen, type Channel } from "./channel.ts";
import { isComplaint, markRequest, reviveError, sendable, type Answer, type Request } from "./protocol.ts";

/** Between the end of a worker's ports and what it has to say of it. */
const LAST_WORDS_MILLISECONDS = 100;

/**
 * Within which a worker is to say that it has heard, of a fit or of an abort, which it does whatever it is at work on:
 * as long as a script may take to load, or a step of a huge problem. Where a fit that no worker has heard of is
 * aborted, as long as who did so cares.
 */
const SILENT_MILLISECONDS = 60_000;
const SILENT_ABORTED_MILLISECONDS = 5_000;

/**
 * What `connect` does, which says it. `here` is given rather than imported, as `select` loads this file on demand:
 * where a bundler makes one script of everything, what is loaded on demand is taken over whole, with all that it
 * imports.
 */
export function createRemote(worker: unknown, here: Here): Remote {
  const channel = checkChannel("connect", "worker", worker, "a Worker or a MessagePort");
  const open = new Set<(error: Error) => void>();
  let ended: string | undefined;
  const rejectAll = (message: string): void => open.forEach((reject) => reject(new Error(message)));
  const end = (why: string): void => {
    ended ??= `fit: the worker ${why}`;
    rejectAll(ended);
  };
  listen(channel, "error", (error) =>
    end(`failed: ${(Object(error) as Error).message || "its script could not be loaded"}`),
  );
  listen(channel, "exit", (code) => end(`has exited with code ${code}`));
  listen(channel, "close", () => end("has closed its port"));
  listen(channel, "messageerror", () => end("sent what cannot be read"));
  listen(channel, "message", (message) => {
    if (isComplaint(message)) rejectAll("fit: the worker could not read what it was sent");
  });
  channel.start?.();

  async function fit(
    features: Features,
    labels: Labels | LabelSets,
    options?: RemoteOptions,
  ): Promise<Model | Model<Label[]>> {
    const { transfer, given, settings } = readRemoteOptions(options, here);
    // Everything but the values of features is checked before arrays are handed over, so that a refusal costs the
    // caller none. In one go: fits are worked on in the order of the calls.
    if (transfer) finish(here.readFitInput("fit", features, labels, settings));
    else here.readTrainingRows("fit", features);
    if (ended) throw new Error(ended);
    const { onProgress, signal } = given;
    const { port1: port, port2 } = new MessageChannel();
    let reject!: (error: unknown) => void;
    let silence: ReturnType<typeof setTimeout> | undefined;
    let hasAnswered = false;
    const waitFor = (milliseconds: number): void => {
      clearTimeout(silence);
      const why = hasAnswered ? "it may have ended" : "does its script call serve?";
      const giveUp = (): void =>
        reject(new Error(`fit: the worker has not answered for ${milliseconds / 1000} s; ${why}`));
      // What has come while this side was busy is heard before that.
      silence = setTimeout(() => (silence = setTimeout(giveUp, LAST_WORDS_MILLISECONDS)), milliseconds);
    };
    const abort = (): void => port.postMessage(null);
    /** Until `onProgress` has done with every record so far: the worker does not wait for that, the answer does. */
    let heard: Promise<void> = Promise.resolve();
    const answered = new Promise<Required<Answer>["model"]>((resolve, rejectIt) => {
      reject = rejectIt;
      port.onmessage = ({ data: { record, model, error } }: MessageEvent<Answer>) => {
        clearTimeout(silence);
        hasAnswered = true;
        if (model) return void heard.then(() => resolve(model), reject);
        if (error) return reject(reviveError(error));
        if (!record) return;
        heard = heard.then(() => untilAborted(onProgress!(record), signal));
        heard.catch((thrown) => {
          port.onmessage = null;
          reject(thrown);
        });
      };
      port.onmessageerror = () => reject(new Error("fit: the worker sent what cannot be read"));
    });
    // Of a worker that ends without a word, as one that was ended from elsewhere, its end of this goes as well.
    port.addEventListener("close", () => {
      const giveUp = (): void => reject(new Error("fit: the worker has ended"));
      if (open.has(reject)) setTimeout(giveUp, LAST_WORDS_MILLISECONDS); // unless it says more
    });
    answered.catch(() => {}); // nobody waits for it if nothing could be sent
    open.add(reject);
    const callOff =
      signal &&
      onAbort(signal, () => {
        abort();
        waitFor(hasAnswered ? SILENT_MILLISECONDS : SILENT_ABORTED_MILLISECONDS);
      });
    try {
      const copies = transfer ? undefined : [];
      const request = toRequest(sentAs(features, copies), labels, given, port2, copies, here);
      post(channel, port, request, copies ?? buffersOf(request.features));
      waitFor(signal?.aborted ? SILENT_ABORTED_MILLISECONDS : SILENT_MILLISECONDS);
      const ready = here.init().catch(() => {}); // `evaluate` here says so if it failed
      const model = await answered;
      await ready;
      return here.createModel<Label>(model);
    } finally {
      // However it ended, there is nothing left to work on.
      clearTimeout(silence);
      abort();
      port.close();
      open.delete(reject);
      callOff?.();
    }
  }

  return {
    fit: fit as Remote["fit"],
    terminate() {
      if (channel.terminate) channel.terminate();
      else channel.close?.();
      end("was terminated");
    },
  };
}

/**
 * `transfer`, and the options of `fit`. They are checked as `fit` does it before anything is sent, and so is the shape
 * of features.
 */
function readRemoteOptions(
  options: RemoteOptions | undefined,
  { readOptions, resolveSettings, settingNames }: Here,
): { transfer: boolean; given: FitOptions; settings: ReturnType<Here["resolveSettings"]> } {
  const names = [...settingNames, "transfer"] as (keyof RemoteOptions)[];
  const { transfer = false, ...given } = readOptions("fit", options, names);
  check("fit", "transfer", transfer, boolean);
  return { transfer, given, settings: resolveSettings("fit", given) };
}

function toRequest(
  features: Features,
  labels: Labels | LabelSets,
  { onProgress, signal, ...options }: FitOptions,
  port: MessagePort,
  copies: ArrayBuffer[] | undefined,
  { modelState }: Here,
): Request {
  const models: Record<string, unknown> = {};
  for (const name of ["initial", "anchor"] as const) {
    const state = modelState(options[name]);
    if (!state) continue;
    models[name] = sendable(name === "initial" ? state : { ...state, duals: undefined });
    delete options[name];
  }
  for (const [name, names] of Object.entries(parts) as [keyof typeof options, readonly string[]][]) {
    if (options[name] !== undefined) options[name] = shown(options[name], names, copies) as never;
  }
  return { features, labels, options, models, progress: !!onProgress, aborted: !!signal?.aborted, port };
}

/** Sends a request. What cannot be sent even as plain data is named. */
function post(channel: Channel, own: MessagePort, request: Request, buffers: Transferable[]): void {
  const send = (request: Request): void => channel.postMessage(markRequest(request), [request.port, ...buffers]);
  try {
    send(request);
  } catch (cause) {
    const { features, labels, options } = request;
    const plain = plainOf({ features, labels, options });
    try {
      return send({ ...request, ...plain });
    } catch {
      // It is named below.
    }
    for (const [name, value] of Object.entries({ features: plain.features, labels: plain.labels, ...plain.options })) {
      try {
        own.postMessage(value);
      } catch {
        refuse(TypeError, "fit", name, `cannot be sent to a worker: ${(cause as Error).message}`);
      }
    }
    refuse(TypeError, "fit", "features", `cannot be transferred: ${(cause as Error).message}`);
  }
}

/** What records among the options have that `fit` reads, by options. */
const parts: Partial<Record<keyof FitOptions, readonly string[]>> = {
  kernel: ["name", "gamma", "degree", "coef0"],
  anchor: ["weights", "intercepts"],
  initial: ["weights", "intercepts"],
  validation: ["features", "labels"],
};

/** A record with what it shows by the names of its parts, own or inherited: only what is its own would be sent. */
function shown(value: unknown, names: readonly string[], copies: ArrayBuffer[] | undefined): unknown {
  if (Array.isArray(value)) return value.map((one) => shown(one, names, copies));
  if (!isRecord(value)) return value;
  const record = value as Record<string, unknown>;
  const sent = { ...record };
  for (const name of names) {
    if (!(name in record)) continue;
    const held = record[name];
    const isMatrix = (name === "features" || name === "weights") && isRecord(held);
    sent[name] = isMatrix ? sentAs(held as Features, copies) : held;
  }
  return sent;
}

/** The names under which a matrix, in any form, has its typed arrays. */
const arrays = ["data", "indices", "indptr", "gram"] as const;
type Matrix = {
  [name in (typeof arrays)[number]]?: { readonly buffer: ArrayBufferLike; slice(): { readonly buffer: ArrayBuffer } };
};

/**
 * What is sent of a matrix, whatever object has it: with typed arrays of its own, whose buffers are added to `copies`,
 * as what is posted as it is takes the whole buffer along of which it may be a part. Where they are handed over there
 * are no copies. Arrays in shared memory stay what they are, and so do arrays of rows.
 */
function sentAs(features: Features, copies: ArrayBuffer[] | undefined): Features {
  if (Array.isArray(features)) return features;
  const matrix: Record<string, unknown> = {};
  for (const name of [...arrays, "rows", "cols"] as const) {
    if (name in features) matrix[name] = (features as unknown as Record<string, unknown>)[name];
  }
  for (const name of arrays) {
    const array = (features as Matrix)[name];
    if (!copies || !array || kindOf(array.buffer) !== "ArrayBuffer") continue;
    const copy = array.slice();
    copies.push(copy.buffer);
    matrix[name] = copy;
  }
  return matrix as unknown as Features;
}

function buffersOf(features: Features): ArrayBuffer[] {
  const buffers = arrays.map((name) => (features as Matrix)[name]?.buffer);
  return [...new Set(buffers)].filter((buffer) => kindOf(buffer) === "ArrayBuffer") as ArrayBuffer[];
}
