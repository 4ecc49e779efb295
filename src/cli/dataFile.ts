/** What a header calls the columns. */
export interface ColumnNames {
  /** Empty where one has none. */
  readonly features: readonly string[];
  /** Undefined where it has none. */
  readonly label?: string;
}

/** The features that there must be. */
export interface Expected {
  readonly features: number;
  /** How messages call what demands them. */
  readonly by: string;
  /** What the columns are called there. */
  readonly names?: ColumnNames;
}

/** What the readers of both formats take and give. */
export interface ReadOptions {
  /** The file as messages name it. */
  readonly name: string;
  /** Whether each row must have a label, or may have one that is passed over. */
  readonly labels: "needed" | "ignored";
  readonly expected?: Expected;
  /** CSV: --label, --header or --no-header. */
  readonly label?: string;
  readonly header?: boolean;
  /**
   * CSV: is told, before the first row, what is taken for the label where nobody has said, or that there is none as
   * --label says.
   */
  readonly note?: (text: string) => void;
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
  /** Once the first row is read; undefined where there is no header. */
  names(): ColumnNames | undefined;
}
