import { isRecord } from "../constraints.ts";

/**
 * Arrays and records of now, down to what they hold: a copy, also of what stands for one, as a Proxy does.
 */
export function plainOf<value>(value: value): value {
  if (Array.isArray(value)) return Array.from(value, plainOf) as value;
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, plainOf(held)])) as value;
}
