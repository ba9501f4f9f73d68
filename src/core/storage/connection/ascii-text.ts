const LEAST_BYTES = 1_024;
/** Length from which Buffer.write is faster than a loop; a loop is faster than a call for most texts. */
const LONG = 48;
/** Digits of the largest whole number, with its sign. */
const MAX_DIGITS = 17;
/** Printable ASCII that JSON does not escape. */
const PLAIN = /^[ !#-[\]-~]*$/;
const BEYOND_ASCII = /[\u007f-\uffff]/g;
const [QUOTE, BACKSLASH, SPACE, DELETE, MINUS, ZERO] = [0x22, 0x5c, 0x20, 0x7f, 0x2d, 0x30];

/**
 * Builds an ASCII text from many pieces, as bytes outside the heap, where it can wait. String pieces and waiting
 * strings would burden the garbage collector, at a higher cost than writing them.
 */
export class AsciiText {
  #bytes = Buffer.allocUnsafe(LEAST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Appends an ASCII text unchanged. */
  append(text: string): this {
    this.#reserve(text.length);
    if (text.length > LONG) {
      this.#length += this.#bytes.write(text, this.#length, 'latin1');
      return this;
    }
    const bytes = this.#bytes;
    let end = this.#length;
    for (let at = 0; at < text.length; at++) bytes[end++] = text.charCodeAt(at);
    this.#length = end;
    return this;
  }

  /** Appends the decimal digits of a whole number within ±2^53. */
  appendWhole(value: number): this {
    this.#reserve(MAX_DIGITS);
    const bytes = this.#bytes;
    let rest = value;
    if (rest < 0) {
      bytes[this.#length++] = MINUS;
      rest = -rest;
    }
    let digits = 1;
    for (let power = 10; power <= rest; power *= 10) digits++;
    const start = this.#length;
    this.#length += digits;
    for (let at = start + digits - 1; at >= start; at--) {
      const next = Math.floor(rest / 10);
      bytes[at] = ZERO + (rest - next * 10);
      rest = next;
    }
    return this;
  }

  /** Appends a JSON string, or null. */
  appendString(text: string | undefined): this {
    if (text === undefined) return this.append('null');
    if (text.length > LONG)
      return PLAIN.test(text) ? this.append('"').append(text).append('"') : this.append(jsonString(text));
    this.#reserve(text.length + 2);
    const bytes = this.#bytes;
    let end = this.#length;
    bytes[end++] = QUOTE;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit < SPACE || unit >= DELETE || unit === QUOTE || unit === BACKSLASH)
        return this.append(jsonString(text));
      bytes[end++] = unit;
    }
    bytes[end++] = QUOTE;
    this.#length = end;
    return this;
  }

  /** Returns all bytes and empties the text. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    // The next text is about as long.
    this.#bytes = Buffer.allocUnsafe(this.#bytes.length);
    this.#length = 0;
    return taken;
  }

  #reserve(bytes: number): void {
    const end = this.#length + bytes;
    if (end <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(end, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Formats a JSON string in ASCII; `null` for undefined. */
export function jsonString(text: string | undefined): string {
  if (text === undefined) return 'null';
  if (PLAIN.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(
    BEYOND_ASCII,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
