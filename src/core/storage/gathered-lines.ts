/** Records of one space in one row, which becomes AuditEvents as a whole. */
export interface GatheredRow {
  readonly records: number;
  /** Their lines, in ASCII. */
  readonly bytes: Buffer;
}

const MAX_RECORDS = 64;
const LEAST_BYTES = 1_024;
const NEWLINE = 10;

/**
 * Lines of one space that become rows: as bytes, because text that waits would be moved by the garbage collector, which
 * costs more than the text itself.
 */
export class GatheredLines {
  readonly #rows: GatheredRow[] = [];
  #buffer = Buffer.allocUnsafe(LEAST_BYTES);
  #used = 0;
  #records = 0;

  /** A line in ASCII. Cost: its copy. */
  add(line: string): void {
    const end = this.#used + line.length + 1;
    if (end > this.#buffer.length) this.#grow(end);
    if (this.#records > 0) this.#buffer[this.#used++] = NEWLINE;
    this.#used += this.#buffer.write(line, this.#used, 'latin1');
    this.#records++;
    if (this.#records === MAX_RECORDS) this.#endRow();
  }

  /** All that were added. */
  rows(): readonly GatheredRow[] {
    if (this.#records > 0) this.#endRow();
    return this.#rows;
  }

  #grow(least: number): void {
    const larger = Buffer.allocUnsafe(Math.max(least, 2 * this.#buffer.length));
    this.#buffer.copy(larger, 0, 0, this.#used);
    this.#buffer = larger;
  }

  #endRow(): void {
    this.#rows.push({ records: this.#records, bytes: this.#buffer.subarray(0, this.#used) });
    // The next one is about as long.
    this.#buffer = Buffer.allocUnsafe(this.#buffer.length);
    this.#used = 0;
    this.#records = 0;
  }
}
