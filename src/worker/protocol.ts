import { alone } from "../arrays/sparseDuals.ts";
import type { ModelState } from "../model/modelState.ts";
import type { Features, FitOptions, HistoryRecord, Labels, LabelSets } from "../types.ts";

/** Marks our messages among others on the same channel. */
const MARK = "topk-sdca";

/** One fit, asked for. All else that is said about it goes over a port of its own, so fits cannot be mixed up. */
export interface Request {
  readonly features: Features;
  readonly labels: Labels | LabelSets;
  /** Without what stands below, and without `onProgress` and `signal`, which stay with the caller. */
  readonly options: FitOptions;
  /** The options that are models, as plain data. */
  readonly models: Readonly<Partial<Record<"initial" | "anchor", ModelState>>>;
  /** Whether records are wanted on the way. */
  readonly progress: boolean;
  /** Whether the signal was aborted when the fit was called. */
  readonly aborted: boolean;
  /** The caller posts anything here to abort; the worker posts answers. */
  readonly port: MessagePort;
}

/**
 * From the worker: an empty one as soon as it has heard, of the fit or of an abort, any number with a record, then one
 * of the other two.
 */
export interface Answer {
  readonly record?: HistoryRecord;
  readonly model?: { readonly state: ModelState; readonly history: readonly HistoryRecord[] };
  readonly error?: { readonly name: string; readonly message: string };
}

/** What a model is made of, as it is sent: in buffers of its own. */
export function sendable(state: ModelState): ModelState {
  const { duals } = state;
  if (!duals) return state;
  const { stored, furthest } = duals;
  return { ...state, duals: { ...duals, stored: alone(stored), ...(furthest && { furthest: alone(furthest) }) } };
}

const marked = (message: unknown): unknown => (Object(message) as { [MARK]?: unknown })[MARK];

export const markRequest = (request: Request): unknown => ({ [MARK]: request });
export function readRequest(message: unknown): Request | undefined {
  const request = marked(message) as Request | undefined;
  return typeof request?.port?.postMessage === "function" ? request : undefined;
}

/** From the worker, over its own channel: something has come that it cannot read, so it cannot say what it was. */
export const complaint: unknown = { [MARK]: "unreadable" };
export const isComplaint = (message: unknown): boolean => marked(message) === "unreadable";

/** An error as plain data, and back: engines differ in what they keep of one that they copy. */
export const plainError = (error: unknown): Required<Answer>["error"] =>
  error instanceof Error ? { name: error.name, message: error.message } : { name: "Error", message: String(error) };
export const reviveError = ({ name, message }: Required<Answer>["error"]): Error =>
  name === "TypeError" ? new TypeError(message) : name === "RangeError" ? new RangeError(message) : new Error(message);
