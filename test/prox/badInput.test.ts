import { beforeAll, describe, expect, test } from "vitest";
import { init, losses, prox } from "../../src/index.ts";

beforeAll(() => init());

const a = [1, 2, 3];
type Call = [what: string, argument: string, call: (p: any) => unknown];

/** Asserts the class of the error, and that its message opens with the function and the argument that is wrong. */
function expectRefusal(kind: ErrorConstructor, name: string, argument: string, call: (p: any) => unknown): void {
  let error: unknown;
  try {
    call(prox);
  } catch (thrown) {
    error = thrown;
  }
  if (error === undefined) expect.fail(`prox.${name} took a wrong "${argument}"`);
  expect(error).toBeInstanceOf(kind);
  expect((error as Error).message.startsWith(`prox.${name}: "${argument}"`), (error as Error).message).toBe(true);
}

/** What is wrong with a vector is wrong for all of them. */
function vectorsOf(name: string, argument: string, options: object): { kind: Call[]; value: Call[] } {
  const of = (vector: unknown) => (p: any) => p[name](vector, options);
  return {
    kind: [
      ["no vector", argument, of(undefined)],
      ["null for a vector", argument, of(null)],
      ["a string for a vector", argument, of("123")],
      ["a number for a vector", argument, of(3)],
      ["a plain object for a vector", argument, of({ length: 3 })],
      ["a string in the vector", argument, of([1, "2", 3])],
      ["a hole in the vector", argument, of([1, undefined, 3])],
    ],
    value: [
      ["no entries in the vector", argument, of([])],
      ["NaN in the vector", argument, of([1, 2, 3, NaN])],
      ["Infinity in the vector", argument, of([1, Infinity])],
      ["NaN in a Float64Array", argument, of(Float64Array.of(NaN))],
      ["-Infinity in a Float32Array", argument, of(Float32Array.of(0, -Infinity))],
    ],
  };
}

/** The same for each of two vectors; what is wrong with the lengths is told apart elsewhere. */
function withOther(name: string, first: string, second: string, options: object): { kind: Call[]; value: Call[] } {
  const calls = (argument: string, call: (p: any, v: unknown) => unknown) => {
    const of = ([what, , run]: Call): Call => [
      `${what}: ${argument}`,
      argument,
      (p) => run({ [name]: (v: unknown) => call(p, v) }),
    ];
    const { kind, value } = vectorsOf(name, argument, options);
    return { kind: kind.map(of), value: value.slice(1).map(of) };
  };
  const [one, other] = [
    calls(first, (p, v) => p[name](v, a, options)),
    calls(second, (p, v) => p[name](a, v, options)),
  ];
  return { kind: [...one.kind, ...other.kind], value: [...one.value, ...other.value] };
}

/** The same with rho. */
function common(name: string, options: object): { kind: Call[]; value: Call[] } {
  const { kind, value } = vectorsOf(name, "a", options);
  const of = (rho: unknown) => (p: any) => p[name](a, { ...options, rho });
  return {
    kind: [...kind, ["a string for rho", "rho", of("1")], ["null for rho", "rho", of(null)]],
    value: [
      ...value,
      ["negative rho", "rho", of(-0.5)],
      ["NaN for rho", "rho", of(NaN)],
      ["infinite rho", "rho", of(Infinity)],
    ],
  };
}

const wrongK = (name: string): { kind: Call[]; value: Call[] } => ({
  kind: [
    ["no k", "k", (p) => p[name](a, {})],
    ["a string for k", "k", (p) => p[name](a, { k: "2" })],
    ["null for k", "k", (p) => p[name](a, { k: null })],
  ],
  value: [
    ["k = 0", "k", (p) => p[name](a, { k: 0 })],
    ["negative k", "k", (p) => p[name](a, { k: -1 })],
    ["k = 1.5", "k", (p) => p[name](a, { k: 1.5 })],
    ["NaN for k", "k", (p) => p[name](a, { k: NaN })],
    ["infinite k", "k", (p) => p[name](a, { k: Infinity })],
  ],
});

const wrongRadius = (name: string, options: object): { kind: Call[]; value: Call[] } => ({
  kind: [["a string for the radius", "radius", (p) => p[name](a, { ...options, radius: "1" })]],
  value: [
    ["NaN for the radius", "radius", (p) => p[name](a, { ...options, radius: NaN })],
    ["a negative radius", "radius", (p) => p[name](a, { ...options, radius: -1 })],
  ],
});

const REFUSED: Record<string, { kind: Call[]; value: Call[] }[]> = {
  knapsack: [
    common("knapsack", {}),
    wrongRadius("knapsack", {}),
    {
      kind: [
        ["a string for lo", "lo", (p) => p.knapsack(a, { lo: "0" })],
        ["a string for hi", "hi", (p) => p.knapsack(a, { hi: "1" })],
        ["a string for equality", "equality", (p) => p.knapsack(a, { equality: "yes" })],
      ],
      value: [
        ["NaN for lo", "lo", (p) => p.knapsack(a, { lo: NaN })],
        ["NaN for hi", "hi", (p) => p.knapsack(a, { hi: NaN })],
      ],
    },
  ],
  topKCone: [common("topKCone", { k: 2 }), wrongK("topKCone")],
  topKSimplex: [
    common("topKSimplex", { k: 2 }),
    wrongK("topKSimplex"),
    wrongRadius("topKSimplex", { k: 2 }),
    {
      kind: [["a number for the variant", "variant", (p) => p.topKSimplex(a, { k: 2, variant: 1 })]],
      value: [["an unknown variant", "variant", (p) => p.topKSimplex(a, { k: 2, variant: "gamma" })]],
    },
  ],
  entropicSimplex: [
    vectorsOf("entropicSimplex", "a", {}),
    wrongRadius("entropicSimplex", {}),
    {
      kind: [["a string for hi", "hi", (p) => p.entropicSimplex(a, { hi: "1" })]],
      value: [
        ["a radius of 0", "radius", (p) => p.entropicSimplex(a, { radius: 0 })],
        ["an infinite radius", "radius", (p) => p.entropicSimplex(a, { radius: Infinity })],
        ["a radius out of reach", "radius", (p) => p.entropicSimplex(a, { hi: 0.3 })],
        ["hi = 0", "hi", (p) => p.entropicSimplex(a, { hi: 0 })],
        ["NaN for hi", "hi", (p) => p.entropicSimplex(a, { hi: NaN })],
      ],
    },
  ],
  topKEntropy: [
    vectorsOf("topKEntropy", "b", { k: 2, alpha: 1 }),
    wrongK("topKEntropy"),
    {
      kind: [
        ["no alpha", "alpha", (p) => p.topKEntropy(a, { k: 2 })],
        ["a string for alpha", "alpha", (p) => p.topKEntropy(a, { k: 2, alpha: "1" })],
        ["a number for the variant", "variant", (p) => p.topKEntropy(a, { k: 2, alpha: 1, variant: 1 })],
      ],
      value: [
        ["a negative alpha", "alpha", (p) => p.topKEntropy(a, { k: 2, alpha: -1 })],
        ["an infinite alpha", "alpha", (p) => p.topKEntropy(a, { k: 2, alpha: Infinity })],
        ["alpha-inclusive", "variant", (p) => p.topKEntropy(a, { k: 2, alpha: 1, variant: "alpha-inclusive" })],
      ],
    },
  ],
  bipartiteSimplex: [
    withOther("bipartiteSimplex", "a", "b", {}),
    {
      kind: [["a string for the radius", "radius", (p) => p.bipartiteSimplex(a, a, { radius: "1" })]],
      value: [
        ["NaN for the radius", "radius", (p) => p.bipartiteSimplex(a, a, { radius: NaN })],
        ["a negative radius", "radius", (p) => p.bipartiteSimplex(a, a, { radius: -1 })],
        ["a radius of 0", "radius", (p) => p.bipartiteSimplex(a, a, { radius: 0 })],
        ["an empty a", "a", (p) => p.bipartiteSimplex([], a)],
        ["an empty b", "b", (p) => p.bipartiteSimplex(a, [])],
      ],
    },
  ],
  multilabelEntropy: [
    withOther("multilabelEntropy", "qTrue", "qOther", { alpha: 1 }),
    {
      kind: [
        ["no options", "alpha", (p) => p.multilabelEntropy(a, a)],
        ["no alpha", "alpha", (p) => p.multilabelEntropy(a, a, {})],
        ["a string for alpha", "alpha", (p) => p.multilabelEntropy(a, a, { alpha: "1" })],
      ],
      value: [
        ["no true class", "qTrue", (p) => p.multilabelEntropy([], a, { alpha: 1 })],
        ["a negative alpha", "alpha", (p) => p.multilabelEntropy(a, a, { alpha: -1 })],
        ["an infinite alpha", "alpha", (p) => p.multilabelEntropy(a, a, { alpha: Infinity })],
        ["NaN for alpha", "alpha", (p) => p.multilabelEntropy(a, a, { alpha: NaN })],
      ],
    },
  ],
  lambertWExp: [
    {
      kind: [
        ["no argument", "t", (p) => p.lambertWExp()],
        ["a string", "t", (p) => p.lambertWExp("1")],
        ["null", "t", (p) => p.lambertWExp(null)],
        ["a string in the vector", "t", (p) => p.lambertWExp([0, "1"])],
      ],
      value: [],
    },
  ],
};

describe.each(Object.entries(REFUSED))("prox.%s", (name, groups) => {
  test.each(groups.flatMap(({ kind }) => kind))("%s: TypeError on %s", (_, argument, call) => {
    expectRefusal(TypeError, name, argument, call);
  });
  const values = groups.flatMap(({ value }) => value);
  if (values.length > 0) {
    test.each(values)("%s: RangeError on %s", (_, argument, call) => expectRefusal(RangeError, name, argument, call));
  }
});

test("the message says which entry, and what is allowed", () => {
  expect(() => prox.knapsack([0, 1, 2, NaN])).toThrow(/^prox\.knapsack: "a" entry 3 is NaN/);
  expect(() => prox.topKSimplex(a, { k: 0 })).toThrow(/^prox\.topKSimplex: "k" must be an integer >= 1, got 0/);
});

test("options that are no object are refused", () => {
  const a = [0.5, 1];
  const calls: [string, (o: any) => unknown][] = [
    ["prox.knapsack", (o) => prox.knapsack(a, o)],
    ["prox.topKCone", (o) => prox.topKCone(a, o)],
    ["prox.topKSimplex", (o) => prox.topKSimplex(a, o)],
    ["prox.entropicSimplex", (o) => prox.entropicSimplex(a, o)],
    ["prox.topKEntropy", (o) => prox.topKEntropy(a, o)],
    ["prox.bipartiteSimplex", (o) => prox.bipartiteSimplex(a, a, o)],
    ["prox.multilabelEntropy", (o) => prox.multilabelEntropy(a, a, o)],
    ["prox.permutahedronHull", (o) => prox.permutahedronHull(a, o)],
    ["losses.value", (o) => losses.value("hinge", a, 0, o)],
    ["losses.gradient", (o) => losses.gradient("hinge", a, 0, o)],
  ];
  for (const [caller, call] of calls) {
    expect(() => call(null)).toThrow(new TypeError(`${caller}: "options" must be an object, got null`));
    expect(() => call(2)).toThrow(new TypeError(`${caller}: "options" must be an object, got 2`));
  }
});

// Entries of such are looked at several at a time.
test("the one entry that is not finite is found and named, wherever it stands, and what is finite is taken, huge or tiny", () => {
  for (const floats of [Float64Array, Float32Array]) {
    for (let n = 1; n <= 9; n++) {
      const most = floats === Float64Array ? Number.MAX_VALUE : 3.4e38;
      const finite = new floats(Array.from({ length: n }, (_, j) => [most, -most, -0, 1e-45][j % 4]));
      expect(prox.topKCone(finite, { k: n + 1 })).toEqual(new Float64Array(n));
      for (let j = 0; j < n; j++) {
        for (const wrong of [NaN, Infinity, -Infinity]) {
          const vector = finite.slice();
          vector[j] = wrong;
          expect(() => prox.topKCone(vector, { k: n + 1 })).toThrow(
            new RangeError(`prox.topKCone: "a" entry ${j} is ${wrong}; it must be finite`),
          );
          if (Number.isNaN(wrong)) expect(() => prox.lambertWExp(vector)).toThrow(RangeError);
          else expect(prox.lambertWExp(vector)[j]).toBe(Math.max(wrong, 0));
        }
      }
    }
  }
});

test("an entry that uses the kernels when it is read does not disturb them, and is read once", () => {
  let reads = 0;
  const vector = [1, 2, 3];
  Object.defineProperty(vector, 1, {
    get() {
      prox.knapsack([7, 7, 7]);
      losses.value("hinge", [9, 9, 9], 0);
      return ++reads > 1 ? NaN : 2;
    },
  });
  const afresh = <value>(call: () => value): value => ((reads = 0), call());
  expect(afresh(() => prox.knapsack(vector, { radius: 100 }))).toEqual(Float64Array.of(1, 2, 3));
  expect(afresh(() => prox.lambertWExp(vector))).toEqual(prox.lambertWExp([1, 2, 3]));
  expect(afresh(() => losses.value("softmax", vector, 0))).toBe(losses.value("softmax", [1, 2, 3], 0));
});

test("an argument of lambertWExp is named, with what it may be", () => {
  expect(() => prox.lambertWExp("1" as never)).toThrow(
    new TypeError('prox.lambertWExp: "t" must be a number, an array, Float64Array or Float32Array, got "1"'),
  );
  expect(() => prox.lambertWExp([1, NaN])).toThrow(
    new RangeError('prox.lambertWExp: "t" entry 1 must be a number, got NaN'),
  );
  expect(() => prox.lambertWExp(NaN)).toThrow(new RangeError('prox.lambertWExp: "t" must be a number, got NaN'));
  expect(() => prox.lambertWExp([-Infinity, undefined as never])).toThrow(
    new TypeError('prox.lambertWExp: "t" entry 1 must be a number, got undefined'),
  );
});

test("named rank weights of more classes than there are", () => {
  const o = { k: 2 ** 40, rankWeights: "flat" } as const;
  expect(() => losses.value("weighted-topk-hinge", [1, 2], 0, o)).toThrow(
    new RangeError(`losses.value: "k" must be an integer in [1, 2], got ${2 ** 40}`),
  );
});
