import type { HistoryRecord } from "../../src/index.ts";

/** Whether a record is that of an evaluation: between two the one before is told again, with more epochs. */
export const isEvaluation = (record: HistoryRecord, before?: HistoryRecord): boolean =>
  record.dualObjective !== before?.dualObjective || record.epoch === before.epoch;
