/** Numbers as the pages show them. */

/** 0.597 as "59.7 %". */
export const percent = (fraction, digits = 1) => `${(100 * fraction).toFixed(digits)} %`;

/** A gap as a percentage with two significant digits: "0.081 %", "12 %"; one far below any goal in words. */
export function gapPercent(gap) {
  const value = 100 * gap;
  if (value < 1e-4) return "less than 0.0001 %";
  return `${value >= 10 ? value.toFixed(0) : Number(value.toPrecision(2))} %`;
}

/** A score or a part of one, with a true minus. */
export const signed = (value, digits, plus = "") => `${value < 0 ? "−" : plus}${Math.abs(value).toFixed(digits)}`;

export const seconds = (value) => `${value < 10 ? value.toFixed(2) : value.toFixed(1)} s`;

/** 30208 as "30 208", with a narrow space that does not break. */
export const count = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");

/** What a certificate says, for those who have not read about certificates. */
export function describeCertificate({ status, relativeGap, epochs, tolerance }) {
  const passes = `${count(epochs)} ${epochs === 1 ? "pass" : "passes"}`;
  const proof = `Proof: more training could gain ${gapPercent(relativeGap)} at most`;
  if (status === "solved") return `Solved after ${passes}. ${proof}.`;
  return `Not solved (${status}) after ${passes}. ${proof}; the goal is ${gapPercent(tolerance)}.`;
}
