/**
 * The workloads: one real, four made to the shapes of the data sets in the papers on top-k losses (Caltech 101 silhouettes,
 * Indoor 67, ALOI, and one that is wide in everything), and about as hard. n counts training rows.
 */
export const workloads = {
  letter: { recipe: "letter", numTrain: 15000, numTest: 5000, d: 17, m: 26, made: "UCI Letter, a constant appended" },
  caltech: {
    ...{ recipe: "silhouettes", numTrain: 4100, numTest: 820, d: 784, m: 101, seed: 1001 },
    made: "noisy silhouettes of 28 x 28 pixels",
  },
  indoor: {
    ...{ recipe: "activations", numTrain: 5354, numTest: 1071, d: 4096, m: 67, seed: 1002, separation: 0.3 },
    made: "rectified activations, a quarter nonzero",
  },
  aloi: {
    ...{ recipe: "prototypes", numTrain: 54000, numTest: 10800, d: 128, m: 1000, seed: 1003 },
    made: "Gaussian clouds on the sphere",
  },
  wide: {
    ...{ recipe: "activations", numTrain: 20000, numTest: 4000, d: 2048, m: 1000, seed: 1004, separation: 0.45 },
    made: "rectified activations, a quarter nonzero",
  },
};

/** Clouds as in "aloi" of any size, with no test rows: for growth. */
export const clouds = ({ n, d, m }) => ({ recipe: "prototypes", numTrain: n, numTest: 0, d, m, seed: 2000 });

/** Many rows for each weight, as tables have them. */
export const tables = {
  "tall, 3 classes": tableOf({ numTrain: 100000, d: 20, m: 3, seed: 1006 }),
  "tall, 10 classes": tableOf({ numTrain: 100000, d: 50, m: 10, seed: 1007, separation: 2.5 }),
};

/** Few rows, classes that overlap, and a C that leaves them next to no regularisation. */
export const hardTables = {
  "hard, 1000 x 20, 2 classes": { C: 1000, ...tableOf({ numTrain: 1000, d: 20, m: 2, seed: 1008, numTest: 1000 }) },
  "hard, 400 x 30, 5 classes": { C: 1000, ...tableOf({ numTrain: 400, d: 30, m: 5, seed: 1009, numTest: 1000 }) },
  "hard, 1000 x 30, 10 classes": { C: 1000, ...tableOf({ numTrain: 1000, d: 30, m: 10, seed: 1010, numTest: 1000 }) },
  "hard, 3000 x 15, 10 classes": {
    C: 1000,
    ...tableOf({ numTrain: 3000, d: 15, m: 10, seed: 1011, numTest: 1000, separation: 2.5 }),
  },
};

/** For kernels: two classes that overlap, with a C that grows. */
export const kernelTables = [
  { C: 1, gamma: 0.1, ...tableOf({ numTrain: 2000, d: 6, m: 2, seed: 1012, numTest: 0 }) },
  { C: 10, gamma: 0.1, ...tableOf({ numTrain: 2000, d: 6, m: 2, seed: 1012, numTest: 0 }) },
  { C: 100, gamma: 0.1, ...tableOf({ numTrain: 2000, d: 6, m: 2, seed: 1012, numTest: 0 }) },
  { C: 10, gamma: 0.02, ...tableOf({ numTrain: 5000, d: 20, m: 2, seed: 1013, numTest: 0 }) },
  { C: 100, gamma: 0.02, ...tableOf({ numTrain: 5000, d: 20, m: 2, seed: 1013, numTest: 0 }) },
];

function tableOf(shape) {
  return { recipe: "overlapping", numTest: 10000, separation: 1.5, ...shape, made: "normal clouds that overlap" };
}

/** A set that the slowest of the packages on npm can do: normal clouds that overlap. */
export const small = {
  ...{ recipe: "prototypes", numTrain: 1000, numTest: 1000, d: 50, m: 10, seed: 1005 },
  made: "Gaussian clouds on the sphere",
};
