/**
 * What is measured in the page. Each takes the sources' { fit, connect }, the training rows { features, labels } and a function
 * that starts a worker; it makes its input ready and returns the call that is measured.
 */
const common = { C: 1, tolerance: 1e-3, intercept: false };

const names = (labels) => Array.from(labels, (y) => `class ${y}`);
const rowsOf = ({ data, rows, cols }) =>
  Array.from({ length: rows }, (_, i) => Array.from(data.subarray(i * cols, (i + 1) * cols)));
/** Each class with the next one, and every third example with a third class. */
const setsOf = (labels, m) =>
  Array.from(labels, (y, i) => [...new Set([y, (y + 1) % m, i % 3 ? y : (y + 7) % m])].map((j) => `class ${j}`));
const part = ({ features: { data, cols }, labels }, rows) => ({
  features: { data: data.subarray(0, rows * cols), rows, cols },
  labels: labels.subarray(0, rows),
});

export const cases = {
  softmax: ({ fit }, { features, labels }) => {
    return () => fit(features, labels, { ...common, loss: "softmax" });
  },
  hinge: ({ fit }, { features, labels }) => {
    return () => fit(features, labels, { ...common, loss: "hinge" });
  },
  "hinge by Frank-Wolfe, 20 epochs": ({ fit }, { features, labels }) => {
    return () => fit(features, labels, { ...common, loss: "hinge", solver: "frank-wolfe", maxEpochs: 20 });
  },
  "smooth hinge, float64": ({ fit }, { features, labels }) => {
    return () => fit(features, labels, { ...common, loss: "hinge", gamma: 1, precision: "float64" });
  },
  "arrays of numbers, label names, intercept, standard scaling": ({ fit }, { features, labels }) => {
    const rows = rowsOf(features);
    const classes = names(labels);
    return () => fit(rows, classes, { loss: "hinge", gamma: 1, scaling: "standard" });
  },
  "warm start, a fifth held out": async ({ fit }, { features, labels }) => {
    const initial = await fit(features, labels, { ...common, loss: "hinge", gamma: 1 });
    const validation = part({ features, labels }, Math.floor(features.rows / 5));
    return () => fit(features, labels, { ...common, loss: "hinge", gamma: 1, C: 2, initial, validation });
  },
  "label sets": ({ fit }, { features, labels }) => {
    const sets = setsOf(labels, new Set(labels).size);
    return () => fit(features, sets, { ...common, loss: "multilabel-softmax" });
  },
  "kernel, 2000 rows": ({ fit }, train) => {
    const { features, labels } = part(train, 2000);
    return () => fit(features, labels, { ...common, loss: "hinge", kernel: { name: "rbf", gamma: 1 } });
  },
  "softmax in a worker, transferred": ({ connect }, { features, labels }, startWorker) => {
    const remote = connect(startWorker());
    return async () => {
      await remote.fit(features, labels, { ...common, loss: "softmax", transfer: true });
      remote.terminate();
    };
  },
  "kernel in a worker, 2000 rows": ({ connect }, train, startWorker) => {
    const remote = connect(startWorker());
    const { features, labels } = part(train, 2000);
    return async () => {
      await remote.fit(features, labels, { ...common, loss: "hinge", kernel: { name: "rbf", gamma: 1 } });
      remote.terminate();
    };
  },
};
