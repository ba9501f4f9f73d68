/** Texts of one chunk; none is split. */
const CHUNK = 1 << 24;

/** Numbers that become more. */
class Growing {
  private values = new Uint32Array(1 << 12);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Uint32Array(this.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }

  get(index: number): number {
    return this.values[index] ?? 0;
  }

  set(index: number, value: number): void {
    this.values[index] = value;
  }
}

/**
 * What must be joined to the codes of a file: their texts in the order in which they were added. It takes some 100 bytes for each code, and
 * 12 for each text beside its UTF-8, outside the heap of JavaScript.
 */
export class TextsByCode {
  private readonly numbers = new Map<string, number>();
  private readonly codes: string[] = [];
  /** By code: its last text, from 1; 0: it has none. */
  private readonly last = new Growing();
  /** By text: the text before of the same code, from 1. */
  private readonly before = new Growing();
  private readonly starts = new Growing();
  private readonly sizes = new Growing();
  private readonly chunks: Buffer[] = [];
  private used = CHUNK;

  /** Returns the number of a code, which gets one if it has none. */
  number(code: string): number {
    const known = this.numbers.get(code);
    if (known !== undefined) return known;
    // A part of a line would keep the whole line in memory.
    const own = Buffer.from(code, 'utf8').toString('utf8');
    const number = this.codes.length;
    this.numbers.set(own, number);
    this.codes.push(own);
    this.last.push(0);
    return number;
  }

  find(code: string): number | undefined {
    return this.numbers.get(code);
  }

  get size(): number {
    return this.codes.length;
  }

  codeOf(number: number): string {
    return this.codes[number] ?? '';
  }

  add(number: number, text: string): void {
    if (this.used + text.length * 3 > CHUNK) {
      this.chunks.push(Buffer.allocUnsafe(Math.max(CHUNK, text.length * 3)));
      this.used = 0;
    }
    const chunk = this.chunks.length - 1;
    const size = this.chunks[chunk]?.write(text, this.used, 'utf8') ?? 0;
    // Offsets of 24 bits and a chunk of 8 bits: 4 GB.
    this.starts.push(chunk * CHUNK + this.used);
    this.sizes.push(size);
    this.used += size;
    this.before.push(this.last.get(number));
    this.last.set(number, this.before.length);
  }

  textsOf(number: number): readonly string[] {
    const texts: string[] = [];
    for (let text = this.last.get(number); text !== 0; text = this.before.get(text - 1)) {
      const start = this.starts.get(text - 1);
      const at = start % CHUNK;
      texts.push(
        this.chunks[Math.floor(start / CHUNK)]?.toString('utf8', at, at + this.sizes.get(text - 1)) ?? '',
      );
    }
    return texts.reverse();
  }
}
