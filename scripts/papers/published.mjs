// What the papers print, in per cent. PAMI: Lapin, Hein, Schiele, "Analysis and Optimization of Loss Functions for Multiclass, Top-k,
// and Multilabel Classification", 2018. HK20: Hirohashi, Kato, "Learning Weighted Top-k Support Vector Machine", 2020.

const alpha = (k, gamma = 0) => ({ loss: "topk-hinge", k, gamma });
const entropy = (k) => ({ loss: "topk-entropy", k });
const truncated = (k) => ({ loss: "truncated-topk-entropy", k });

/** PAMI Table 5, Letter: top-1, top-3, top-5, top-10. */
export const letter = [
  ["SVM OVA", { loss: "ova-hinge" }, [63.0, 82.0, 88.1, 94.6]],
  ["LR OVA", { loss: "ova-logistic" }, [68.1, 86.1, 90.6, 96.2]],
  ["SVM Multi", { loss: "hinge" }, [76.5, 89.2, 93.1, 97.7]],
  ["LR Multi", { loss: "softmax" }, [75.3, 90.3, 94.3, 98.0]],
  ["top-3 SVM", alpha(3), [74.0, 91.0, 94.4, 97.8]],
  ["top-5 SVM", alpha(5), [70.8, 91.5, 95.1, 98.4]],
  ["top-10 SVM", alpha(10), [61.6, 88.9, 96.0, 99.6]],
  ["top-1 SVM, gamma 1", { loss: "hinge", gamma: 1 }, [76.8, 89.9, 93.6, 97.6]],
  ["top-3 SVM, gamma 1", alpha(3, 1), [74.1, 90.9, 94.5, 97.9]],
  ["top-5 SVM, gamma 1", alpha(5, 1), [70.8, 91.5, 95.2, 98.6]],
  ["top-10 SVM, gamma 1", alpha(10, 1), [61.7, 89.1, 95.9, 99.7]],
  ["top-3 Ent", entropy(3), [73.0, 90.8, 94.9, 98.5]],
  ["top-5 Ent", entropy(5), [69.7, 90.9, 95.1, 98.8]],
  ["top-10 Ent", entropy(10), [65.0, 89.7, 96.2, 99.6]],
  ["top-3 Ent_tr", truncated(3), [63.6, 91.1, 95.6, 98.8]],
  ["top-5 Ent_tr", truncated(5), [50.3, 87.7, 96.1, 99.4]],
  ["top-10 Ent_tr", truncated(10), [46.5, 80.9, 93.7, 99.6]],
];

/** PAMI Table 3, the circle: top-1, top-2. */
export const circle = [
  ["SVM OVA", { loss: "ova-hinge" }, [54.3, 85.8]],
  ["LR OVA", { loss: "ova-logistic" }, [54.7, 81.7]],
  ["SVM Multi", { loss: "hinge" }, [58.9, 89.3]],
  ["LR Multi", { loss: "softmax" }, [54.7, 81.7]],
  ["top-1 SVM, gamma 1", { loss: "hinge", gamma: 1 }, [65.7, 83.9]],
  ["top-2 SVM", alpha(2), [54.4, 87.1]],
  ["top-2 SVM, gamma 1", alpha(2, 1), [54.5, 87.0]],
  ["top-2 Ent", entropy(2), [54.6, 87.6]],
  ["top-2 Ent_tr", truncated(2), [58.4, 96.1]],
];

const rankWeights = (name) => ({ loss: "weighted-topk-hinge", rankWeights: name });

/** HK20 Table 1 (e), Letter: top-1, top-3, top-5, top-10. */
export const weighted = [
  ["Utk (ours)", rankWeights("flat"), [75.9, 91.0, 96.1, 99.4]],
  ["Wtk (linear)", rankWeights("linear"), [76.6, 90.9, 95.5, 99.1]],
  ["Wtk (exp)", rankWeights("exp"), [76.5, 90.8, 95.7, 99.1]],
  ["Utk (Lapin)", { loss: "topk-hinge", variant: "alpha" }, [76.1, 90.7, 95.1, 98.8]],
];

/** PAMI Table 2: seconds for 1000 projections onto the bipartite simplex of radius 10. */
export const projections = {
  dimensions: [1e3, 1e4, 1e5, 1e6, 1e7],
  rows: [
    { name: "bipartite simplex by sorting", seconds: [0.07, 0.56, 6.92, 85.56, 1364.94] },
    { name: "bipartite simplex by variable fixing", seconds: [0.02, 0.15, 1.48, 16.46, 169.81] },
  ],
};
