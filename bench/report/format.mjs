/** How numbers stand in tables. */

/** Three digits, no exponents: 0.0123, 0.123, 1.23, 12.3, 123, 1234. */
export function figures(value, digits = 3) {
  if (value === 0) return "0";
  const decimals = digits - 1 - Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.min(Math.max(decimals, 0), 6));
}

/** Two digits, as much as a ratio of times on a shared machine is worth; small ones keep a second decimal. */
export const ratio = (value) => `${value < 0.995 ? figures(value, 2) : value.toFixed(value < 9.95 ? 1 : 0)}x`;

/** "1.23 (1.20 - 1.31)"; the median alone where there was one turn. */
export function spread({ median, min, max }) {
  return min === max ? figures(median) : `${figures(median)} (${figures(min)} - ${figures(max)})`;
}

export const percent = (value) => (value === undefined ? "-" : (100 * value).toFixed(1));

export const megabytes = (bytes) => (bytes === undefined ? "-" : figures(bytes / 1e6, 2));

/** A power of ten as "1e3". */
export const powerOfTen = (value) => `1e${Math.round(Math.log10(value))}`;
