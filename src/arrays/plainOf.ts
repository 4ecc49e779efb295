import { isRecord } from "../constraints.ts";

/** A deep copy of arrays and records, also of what stands for one, as a Proxy does, which could not be cloned. */
export function plainOf<value>(value: value): value {
  if (Array.isArray(value)) return Array.from(value, plainOf) as value;
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, plainOf(held)])) as value;
}
