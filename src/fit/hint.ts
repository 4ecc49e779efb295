import type { KernelFunction } from "../kernelOption.ts";
import type { Settings } from "../settings.ts";
import type { Model, Status } from "../types.ts";
import { partsOf } from "./range.ts";

/** Of embeddings and rows of numbers about 1 it is less. */
const LARGE_NORM = 10;

/** What is known of a problem that was not solved. */
interface Obstacles {
  readonly kernel: KernelFunction["name"] | undefined;
  /** Of rows, or of a kernel the root of its largest value. */
  readonly largestNorm: number;
  /** Whether the rounding of scores in float64 stands in the way. */
  readonly drowned: boolean;
  /** Whether that of dual variables to float32 does. */
  readonly coarse: boolean;
  /** Whether rounding has made kernel values indefinite. */
  readonly indefinite: boolean;
  /** Whether these were given, in float32. */
  readonly roundedGram: boolean;
}

/** What would help a fit that was not solved; undefined if it was. */
export function hintFor(
  status: Status,
  settings: Settings,
  { kernel, largestNorm, drowned, coarse, indefinite, roundedGram }: Obstacles,
): string | undefined {
  if (status === "solved" || status === "stationary") return undefined;
  const { loss, precision, scaling } = settings;
  const ofRows = kernel === undefined || kernel === "linear";
  const budget = status === "max-epochs" ? "maxEpochs" : status === "max-seconds" && "maxSeconds";
  // Less than an epoch, or than a second, may be over before a step is taken.
  const nothingDone = budget && settings[budget] < 1;
  const advice = nothingDone ? [`allow more ${budget}`] : [];
  // Distances of sparse rows come from products, which are as large as these rows are far off.
  if (indefinite && kernel === "rbf") advice.push("subtract the mean of each column");
  const norms = partsOf(largestNorm, settings);
  if (norms.ofConstant > LARGE_NORM) advice.push(`use a smaller interceptScale than ${norms.ofConstant}`);
  // How steps are held up by columns of other sizes shows in the norms of rows, mostly.
  if (norms.ofRows > LARGE_NORM) {
    const poly = kernel === "poly";
    if (poly) {
      advice.push(`use a smaller gamma of the kernel, whose values go up to ${(norms.ofRows ** 2).toPrecision(2)}`);
    }
    if (scaling === "none" && (ofRows || poly)) {
      const size = ofRows ? ` (rows have norms up to ${norms.ofRows.toPrecision(2)})` : "";
      advice.push(`scale the features${size}, for example scaling: "standard"`);
    }
  }
  const cols = (settings.anchor as Model | undefined)?.weights.cols;
  if (scaling !== "none" && cols && norms.ofRows > LARGE_NORM * Math.sqrt(cols)) {
    advice.push(
      `fit without the anchor, whose scaling these rows are far out of (norms up to ${norms.ofRows.toPrecision(2)})`,
    );
  }
  // Scores of float32 are good to about 1e-7 of their size, and the gap with them.
  if (coarse || (status === "no-progress" && precision === "float32" && !drowned)) {
    advice.push('use precision: "float64"');
  }
  if (roundedGram && (status === "no-progress" || largestNorm > LARGE_NORM)) {
    advice.push("give the Gram matrix in a Float64Array");
  }
  if (status !== "aborted") {
    const smoothable = loss.family === "HINGE" || loss.family === "OVA_HINGE";
    if (smoothable && loss.gamma === 0) advice.push("smooth the loss with gamma: 1");
    advice.push("use a smaller C");
  }
  if (status !== "no-progress" && !coarse && !nothingDone) {
    advice.push(`go on from here with initial: model${budget ? `, more ${budget}` : ""}`);
  }
  return advice.join("; or ");
}
