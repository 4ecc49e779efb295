/** A record, of a history or a table, without its time: what two runs have in common. */
export const untimed = <Record extends { seconds: number }>(record: Record): Record => ({ ...record, seconds: 0 });
