import { writeLine, type AccessRecord } from './access-line';
import { AsciiText } from '../connection/ascii-text';

/** Records of one space in one row, which become AuditEvents together. */
export interface BatchedRow {
  readonly records: number;
  /** Their lines, in ASCII. */
  readonly bytes: Buffer;
}

const MAX_RECORDS = 64;

/** Collects lines of one space into rows. It does not retain the records. */
export class BatchedLines {
  readonly #rows: BatchedRow[] = [];
  readonly #text = new AsciiText();
  #records = 0;

  /** Adds a record and returns the number of bytes of its line. */
  add(record: AccessRecord): number {
    if (this.#records > 0) this.#text.append('\n');
    const start = this.#text.length;
    writeLine(this.#text, record);
    const added = this.#text.length - start;
    this.#records++;
    if (this.#records === MAX_RECORDS) this.#endRow();
    return added;
  }

  /** The rows of all added records. */
  rows(): readonly BatchedRow[] {
    if (this.#records > 0) this.#endRow();
    return this.#rows;
  }

  #endRow(): void {
    this.#rows.push({ records: this.#records, bytes: this.#text.take() });
    this.#records = 0;
  }
}
