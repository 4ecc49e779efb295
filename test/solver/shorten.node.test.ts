import { beforeAll, describe, expect, test } from "vitest";
import { init } from "../../src/index.ts";
import { resolveLoss } from "../../src/losses.ts";
import { Pacer } from "../../src/pace/pace.ts";
import { shorten } from "../../src/solver/shorten.ts";
import { clouds } from "../helpers/data.ts";
import { copyOf, dualOf, openProblem } from "../helpers/problem.ts";

/** The dual variables of a fit, scaled to a C many times as large, may be far too long: steps begin at a part of them. */

beforeAll(() => init());

const [n, d, m] = [80, 6, 5];
const { features, labels } = clouds(n, d, m, 4);
const larger = 30;

describe.each([{ loss: "softmax" }, { loss: "topk-entropy", k: 2 }, { loss: "ova-logistic" }])("$loss", (spec) => {
  // Times the weights that the dual variables stand for: near to these there is little left for them to gain.
  test.each([0, 0.1, 0.5, 2, -0.1, -0.4])(
    "D is what the best part promises, and no lower than before, around %d",
    async (near) => {
      const first = await openProblem(spec, features, labels, { numClasses: m });
      for (let pass = 0; pass < 20; pass++) {
        first.visits.visitActive();
        first.sweep(0, n, true);
      }
      const weights = Float64Array.from(first.weights.copy(), (w) => larger * w);
      const problem = await openProblem(spec, features, labels, { numClasses: m, anchored: true });
      for (let j = 0; j < m; j++) {
        problem.weights.setAnchorRow(
          j,
          weights.slice(j * d, (j + 1) * d).map((w) => near * w),
        );
      }
      problem.C.fill(2 * larger);
      problem.duals.restore(copyOf(first.duals).map((a) => larger * a));
      const before = dualOf(problem);
      const { dualLoss } = problem.sums;
      const norm2 = weights.reduce((sum, w) => sum + w * w, 0);
      const loss = resolveLoss("test", spec.loss, spec.k ? { k: spec.k } : {});
      await shorten(problem, loss, new Pacer("never"));
      const after = dualOf(problem);
      expect(after).toBeGreaterThanOrEqual(before);
      expect(after).toBeGreaterThanOrEqual(0); // as at A = 0
      // The dual losses are concave, and 0 at 0.
      for (let t = 0; t < 1; t += 1 / 64) {
        const known = t * (dualLoss - near * norm2) - 0.5 * t * t * norm2;
        expect(after).toBeGreaterThanOrEqual(known - 1e-12 * Math.abs(before));
      }
    },
  );
});
