/** A line that was refused. */
export interface RefusedLine {
  /** From 1. */
  readonly line: number;
  /** The OperationOutcome. */
  readonly outcome: string;
}

/** What becomes of some lines of a chunk, stored in the transaction that writes their resources. */
export interface ImportPart {
  readonly id: string;
  readonly file: number;
  readonly number: number;
  /** The number of parts before this one. */
  readonly step: number;
  readonly pass: number;
  /** Places of the lines that are left afterwards. */
  readonly todo: readonly number[];
  readonly waiting: readonly number[];
  readonly written: number;
  readonly refused: readonly RefusedLine[];
  /** Refused lines that are only counted. */
  readonly unlisted: number;
}
