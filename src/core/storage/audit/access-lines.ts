import { writeLine, type AccessRecord } from './access-line';
import { AsciiText } from '../connection/ascii-text';

/** Records of one space in one row, which becomes AuditEvents as a whole. */
export interface GatheredRow {
  readonly records: number;
  /** Their lines, in ASCII. */
  readonly bytes: Buffer;
}

const MAX_RECORDS = 64;

/** Lines of one space that become rows. What they tell of may go. */
export class GatheredLines {
  readonly #rows: GatheredRow[] = [];
  readonly #text = new AsciiText();
  #records = 0;

  /** Gives how many bytes the line has. */
  add(record: AccessRecord): number {
    if (this.#records > 0) this.#text.append('\n');
    const start = this.#text.length;
    writeLine(this.#text, record);
    const added = this.#text.length - start;
    this.#records++;
    if (this.#records === MAX_RECORDS) this.#endRow();
    return added;
  }

  /** All that were added. */
  rows(): readonly GatheredRow[] {
    if (this.#records > 0) this.#endRow();
    return this.#rows;
  }

  #endRow(): void {
    this.#rows.push({ records: this.#records, bytes: this.#text.take() });
    this.#records = 0;
  }
}
