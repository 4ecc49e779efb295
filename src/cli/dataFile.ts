/** What the readers of both formats take and give. */
export interface ReadOptions {
  /** The file as messages name it. */
  readonly name: string;
  /** Whether each row must have a label, or may have one that is passed over. */
  readonly labels: "needed" | "ignored";
  /** How many features there must be, and how messages call what demands it. */
  readonly expected?: { readonly features: number; readonly by: string };
  /** CSV: --label, --header or --no-header. */
  readonly label?: string;
  readonly header?: boolean;
}

export interface DataRow {
  /** Line on which it begins, from 1. */
  readonly line: number;
  /** Undefined where labels are ignored. */
  readonly label: string | undefined;
  readonly values: readonly number[];
  /** LIBSVM: the column of each value, from 0. CSV: absent, value j is of column j. */
  readonly indices?: readonly number[];
}

export interface DataReader {
  readonly rows: AsyncIterable<DataRow>;
  /** A feature as messages name it: `column "x-box"`, `index 3`. */
  columnName(feature: number): string;
  /** The column that was taken for the label, if nobody has said which is; known once a row has been read. */
  guessedLabel?(): string | undefined;
  /** Whether there is no column of the label's name, which predictions do without; known once a row has been read. */
  lacksLabel?(): boolean;
}

/** What a reader has assumed of the label without being told; undefined where nothing. */
export function noteOnLabel({ guessedLabel, lacksLabel }: DataReader): string | undefined {
  const guess = guessedLabel?.();
  if (guess !== undefined) return `label: ${guess}, the first (--label names another)`;
  return lacksLabel?.() ? "there is no such column as --label says: all of them are taken for features" : undefined;
}
