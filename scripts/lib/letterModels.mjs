/** The models that `npm start` trains on Letter, at C = 1; the data holds the constant, hence no intercept. */
export const letterModels = [
  { name: "hinge", options: { loss: "hinge" } },
  { name: "smooth hinge, gamma 1", options: { loss: "hinge", gamma: 1 } },
  { name: "top-5 alpha", options: { loss: "topk-hinge", k: 5, variant: "alpha" } },
  { name: "top-5 alpha-inclusive", options: { loss: "topk-hinge", k: 5, variant: "alpha-inclusive" } },
  { name: "top-5 beta", options: { loss: "topk-hinge", k: 5, variant: "beta" } },
  { name: "top-5 alpha, gamma 1", options: { loss: "topk-hinge", k: 5, variant: "alpha", gamma: 1 } },
  { name: "top-5 beta, gamma 1", options: { loss: "topk-hinge", k: 5, variant: "beta", gamma: 1 } },
  { name: "softmax", options: { loss: "softmax" } },
].map(({ name, options }) => ({ name, options: { ...options, C: 1, tolerance: 1e-3, intercept: false } }));
