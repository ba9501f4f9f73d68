/**
 * Keyed 64-bit hashes of the values in index rows: SipHash-1-3 (Aumasson and Bernstein) over UTF-16 code units, each as
 * two bytes, low byte first. Without the database's secret nobody can construct two values that collide. All arithmetic
 * is on signed 32-bit halves; nothing is allocated except the cache of systems.
 *
 * The functions that give 64 bits return the high half and leave the low half in `low`, to be read before the next
 * call:
 *
 *     const high = hasher.text(code);
 *     const low = hasher.low;
 */
export interface Hasher {
  /** Low half of the last 64-bit result. */
  low: number;
  /** Returns the high half of the 64-bit hash of `text`; the low half is in `low`. */
  text(text: string): number;
  /**
   * Returns the high half of the hash of a sequence of texts (an absent one differs from an empty one); the low half is
   * in `low`. The length of every part is hashed before the part, so ('a', 'bc') and ('ab', 'c') differ.
   */
  parts(first: string | undefined, second: string | undefined, third?: string, fourth?: string): number;
  /** Returns a 32-bit hash of `text`, never 0: 0 stands for "none" in index rows. */
  short(text: string): number;
  /** As `short`, with a cache of up to 1,024 texts, for frequent texts such as systems and units. */
  cachedShort(text: string): number;
}

const MAX_CACHED = 1024;
/** Longer texts are not cached, so that the cache stays small. */
const MAX_CACHED_LENGTH = 256;
/** Replaces the length of an absent part. */
const ABSENT = -1;

/** Creates the hasher of one database; `secret` is its random key of at least 16 bytes (the first 16 are used). */
export function createHasher(secret: Buffer): Hasher {
  if (secret.length < 16) throw new RangeError('the key of a hasher has 16 bytes');
  return new SipHasher(secret);
}

class SipHasher implements Hasher {
  low = 0;
  private readonly start: Int32Array;
  private readonly state = new Int32Array(8);
  private readonly systems = new Map<string, number>();

  constructor(secret: Buffer) {
    const k0Low = secret.readInt32LE(0);
    const k0High = secret.readInt32LE(4);
    const k1Low = secret.readInt32LE(8);
    const k1High = secret.readInt32LE(12);
    // v0 … v3 of the algorithm, high half before low half.
    this.start = Int32Array.of(
      k0High ^ 0x736f6d65,
      k0Low ^ 0x70736575,
      k1High ^ 0x646f7261,
      k1Low ^ 0x6e646f6d,
      k0High ^ 0x6c796765,
      k0Low ^ 0x6e657261,
      k1High ^ 0x74656462,
      k1Low ^ 0x79746573,
    );
  }

  text(text: string): number {
    this.state.set(this.start);
    absorb(this.state, text, true);
    return this.finish();
  }

  parts(first: string | undefined, second: string | undefined, third?: string, fourth?: string): number {
    const state = this.state;
    state.set(this.start);
    // Separates sequences from single texts.
    state[3] = (state[3] ?? 0) ^ 0xee;
    absorbPart(state, first);
    absorbPart(state, second);
    absorbPart(state, third);
    absorbPart(state, fourth);
    return this.finish();
  }

  short(text: string): number {
    const high = this.text(text);
    return high ^ this.low || 1;
  }

  cachedShort(text: string): number {
    const cached = this.systems.get(text);
    if (cached !== undefined) return cached;
    const value = this.short(text);
    if (text.length <= MAX_CACHED_LENGTH) {
      if (this.systems.size >= MAX_CACHED) this.systems.clear();
      this.systems.set(text, value);
    }
    return value;
  }

  /** Runs the closing rounds: sets `low`, returns the high half. */
  private finish(): number {
    const state = this.state;
    state[5] = (state[5] ?? 0) ^ 0xff;
    rounds(state, 3);
    this.low = (state[1] ?? 0) ^ (state[3] ?? 0) ^ state[5] ^ (state[7] ?? 0);
    return (state[0] ?? 0) ^ (state[2] ?? 0) ^ (state[4] ?? 0) ^ (state[6] ?? 0);
  }
}

/** Absorbs one part of a sequence: its length as a block of its own, then its code units, padded with zeros. */
function absorbPart(state: Int32Array, part: string | undefined): void {
  absorbBlock(state, 0, part === undefined ? ABSENT : part.length);
  if (part !== undefined && part.length > 0) absorb(state, part, false);
}

function absorbBlock(state: Int32Array, high: number, low: number): void {
  state[6] = (state[6] ?? 0) ^ high;
  state[7] = (state[7] ?? 0) ^ low;
  rounds(state, 1);
  state[0] = (state[0] ?? 0) ^ high;
  state[1] = (state[1] ?? 0) ^ low;
}

/**
 * Absorbs blocks of four code units. `closed`: ends with SipHash's own last block, which carries the number of bytes in
 * its top byte; otherwise the last block is padded with zeros and omitted when empty.
 */
function absorb(state: Int32Array, text: string, closed: boolean): void {
  const length = text.length;
  const whole = length & ~3;
  let a = state[0] ?? 0,
    b = state[1] ?? 0,
    c = state[2] ?? 0,
    d = state[3] ?? 0;
  let e = state[4] ?? 0,
    f = state[5] ?? 0,
    g = state[6] ?? 0,
    h = state[7] ?? 0;
  let swap: number;
  const blocks = (whole >> 2) + (closed || whole < length ? 1 : 0);
  for (let block = 0, at = 0; block < blocks; block++, at += 4) {
    let low: number;
    let high: number;
    if (at < whole) {
      low = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
      high = text.charCodeAt(at + 2) | (text.charCodeAt(at + 3) << 16);
    } else {
      low = at < length ? text.charCodeAt(at) : 0;
      if (at + 1 < length) low |= text.charCodeAt(at + 1) << 16;
      high = at + 2 < length ? text.charCodeAt(at + 2) : 0;
      if (closed) high |= length << 25;
    }
    g ^= high;
    h ^= low;
    // One SipRound on 64-bit values in halves: (a,b) = v0, (c,d) = v1, (e,f) = v2, (g,h) = v3.
    let sum = (b >>> 0) + (d >>> 0);
    a = (a + c + (sum > 0xffffffff ? 1 : 0)) | 0;
    b = sum | 0;
    swap = (c << 13) | (d >>> 19);
    d = ((d << 13) | (c >>> 19)) ^ b;
    c = swap ^ a;
    swap = a;
    a = b;
    b = swap;
    sum = (f >>> 0) + (h >>> 0);
    e = (e + g + (sum > 0xffffffff ? 1 : 0)) | 0;
    f = sum | 0;
    swap = (g << 16) | (h >>> 16);
    h = ((h << 16) | (g >>> 16)) ^ f;
    g = swap ^ e;
    sum = (b >>> 0) + (h >>> 0);
    a = (a + g + (sum > 0xffffffff ? 1 : 0)) | 0;
    b = sum | 0;
    swap = (g << 21) | (h >>> 11);
    h = ((h << 21) | (g >>> 11)) ^ b;
    g = swap ^ a;
    sum = (f >>> 0) + (d >>> 0);
    e = (e + c + (sum > 0xffffffff ? 1 : 0)) | 0;
    f = sum | 0;
    swap = (c << 17) | (d >>> 15);
    d = ((d << 17) | (c >>> 15)) ^ f;
    c = swap ^ e;
    swap = e;
    e = f;
    f = swap;
    a ^= high;
    b ^= low;
  }
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = d;
  state[4] = e;
  state[5] = f;
  state[6] = g;
  state[7] = h;
}

/**
 * Runs SipRounds on the state in place. The loop of `absorb` has its own copy, which keeps its variables in registers.
 */
function rounds(state: Int32Array, count: number): void {
  let a = state[0] ?? 0,
    b = state[1] ?? 0,
    c = state[2] ?? 0,
    d = state[3] ?? 0;
  let e = state[4] ?? 0,
    f = state[5] ?? 0,
    g = state[6] ?? 0,
    h = state[7] ?? 0;
  let swap: number;
  for (let round = 0; round < count; round++) {
    let sum = (b >>> 0) + (d >>> 0);
    a = (a + c + (sum > 0xffffffff ? 1 : 0)) | 0;
    b = sum | 0;
    swap = (c << 13) | (d >>> 19);
    d = ((d << 13) | (c >>> 19)) ^ b;
    c = swap ^ a;
    swap = a;
    a = b;
    b = swap;
    sum = (f >>> 0) + (h >>> 0);
    e = (e + g + (sum > 0xffffffff ? 1 : 0)) | 0;
    f = sum | 0;
    swap = (g << 16) | (h >>> 16);
    h = ((h << 16) | (g >>> 16)) ^ f;
    g = swap ^ e;
    sum = (b >>> 0) + (h >>> 0);
    a = (a + g + (sum > 0xffffffff ? 1 : 0)) | 0;
    b = sum | 0;
    swap = (g << 21) | (h >>> 11);
    h = ((h << 21) | (g >>> 11)) ^ b;
    g = swap ^ a;
    sum = (f >>> 0) + (d >>> 0);
    e = (e + c + (sum > 0xffffffff ? 1 : 0)) | 0;
    f = sum | 0;
    swap = (c << 17) | (d >>> 15);
    d = ((d << 17) | (c >>> 15)) ^ f;
    c = swap ^ e;
    swap = e;
    e = f;
    f = swap;
  }
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = d;
  state[4] = e;
  state[5] = f;
  state[6] = g;
  state[7] = h;
}
