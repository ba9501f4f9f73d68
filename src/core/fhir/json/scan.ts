/** The result of one pass over JSON text, without parsing. */
export interface JsonScan {
  /** Maximum nesting of objects and arrays. */
  readonly depth: number;
  /** Number of member names in the text; greater than in the parsed value if an object has a name twice. */
  readonly members: number;
  /** True if there are more different member names than any FHIR resource can have. */
  readonly hasTooManyNames: boolean;
  /** True if its values would take more memory than allowed; the scan stopped there. */
  readonly hasTooManyValues: boolean;
  /** True if a string contains U+0001 or half a surrogate pair. */
  readonly hasForbiddenCharacter: boolean;
  /** Alternating starts and ends of the number literals that JavaScript would not write back unchanged. */
  readonly inexact: readonly number[];
}

const NUMBER_LITERAL = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const EXACT_INTEGER_LENGTH = 15;
const NONE: readonly number[] = [];

/**
 * Maximum number of objects and arrays in a text: some 100 bytes each as values. V8 ends the process when memory runs
 * out, in any thread, and 64 MB of `{},` would take 2 GB. FHIR has some 30 characters to each, so that 64 MB have half
 * as many.
 */
export const MAX_CONTAINERS = 4_000_000;
/** Maximum number of literals that JavaScript would change: marking each takes some 150 bytes. */
export const MAX_INEXACT = 1_000_000;

/**
 * Scans text that need not be valid JSON: skips strings, counts everything outside them. Cost: one pass over the
 * character codes, about 1.5 ns per character.
 */
export function scanJson(text: string): JsonScan {
  const length = text.length;
  let depth = 0;
  let deepest = 0;
  let members = 0;
  let containers = 0;
  let hasTooManyValues = false;
  let hasForbiddenCharacter = false;
  let inexact: number[] | undefined;
  let names: NameCounter | undefined;
  let lastString = 0;
  let position = 0;
  while (position < length) {
    const code = text.charCodeAt(position);
    if (code === 0x22) {
      position++;
      lastString = position;
      for (; position < length; position++) {
        const inner = text.charCodeAt(position);
        if (inner === 0x22) break;
        if (inner === 0x5c) {
          position++;
          if (text.charCodeAt(position) === 0x75) {
            const unit = readHexadecimal(text, position + 1);
            if (unit === 1) hasForbiddenCharacter = true;
            else if (unit >= 0xd800 && unit <= 0xdfff) {
              if (isEscapedPair(text, unit, position + 5)) position += 10;
              else hasForbiddenCharacter = true;
            }
          }
        } else if (inner >= 0xd800 && inner <= 0xdfff) {
          const next = text.charCodeAt(position + 1);
          if (inner <= 0xdbff && next >= 0xdc00 && next <= 0xdfff) position++;
          else hasForbiddenCharacter = true;
        }
      }
      position++;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > deepest) deepest = depth;
      if (++containers > MAX_CONTAINERS) {
        hasTooManyValues = true;
        break;
      }
      position++;
    } else if (code === 0x7d || code === 0x5d) {
      depth--;
      position++;
    } else if (code === 0x3a) {
      if (++members > FEW_MEMBERS) (names ??= new NameCounter()).add(text, lastString);
      position++;
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      const end = endOfNumber(text, position);
      if (isInexact(text, position, end)) {
        inexact ??= [];
        if (inexact.length >= 2 * MAX_INEXACT) {
          hasTooManyValues = true;
          break;
        }
        inexact.push(position, end);
      }
      position = end;
    } else {
      position++;
    }
  }
  const hasTooManyNames = names !== undefined && names.count > MAX_NAMES;
  return {
    depth: deepest,
    members,
    hasTooManyNames,
    hasTooManyValues,
    hasForbiddenCharacter,
    inexact: inexact ?? NONE,
  };
}

/** Up to so many members are not checked for different names. */
const FEW_MEMBERS = 4_000;

/**
 * Maximum number of different member names. All releases of FHIR together have some 4,000 elements. V8 makes a shape
 * for each new name, so that 400,000 of them take seconds.
 */
export const MAX_NAMES = 8_000;

const TABLE_BITS = 20;

/** Counts different names, slightly too low: names with equal hashes count once. */
class NameCounter {
  count = 0;
  private readonly table = new Uint8Array(1 << TABLE_BITS);

  add(text: string, start: number): void {
    let hash = 0x811c9dc5;
    for (let at = start; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x22) break;
      hash = Math.imul(hash ^ code, 0x01000193);
    }
    const place = (hash ^ (hash >>> 12)) & ((1 << TABLE_BITS) - 1);
    if (this.table[place] === 0) {
      this.table[place] = 1;
      this.count++;
    }
  }
}

/** Returns the text with each literal of `inexact` replaced by a string of U+0001 and the literal. */
export function markNumbers(text: string, inexact: readonly number[]): string {
  const pieces: string[] = [];
  let last = 0;
  for (let at = 0; at < inexact.length; at += 2) {
    const start = inexact[at] ?? 0;
    const end = inexact[at + 1] ?? 0;
    pieces.push(text.slice(last, start), '"\\u0001', text.slice(start, end), '"');
    last = end;
  }
  pieces.push(text.slice(last));
  return pieces.join('');
}

/** True for exactly what RFC 8259 section 6 allows as a number. */
export function isNumberLiteral(text: string): boolean {
  return NUMBER_LITERAL.test(text);
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    const isPart =
      (code >= 0x30 && code <= 0x39) ||
      code === 0x2e ||
      code === 0x65 ||
      code === 0x45 ||
      code === 0x2d ||
      code === 0x2b;
    if (!isPart) break;
  }
  return end;
}

function isInexact(text: string, start: number, end: number): boolean {
  if (end - start <= EXACT_INTEGER_LENGTH && isDigits(text, start, end)) {
    // A negative zero loses its sign; leading zeros are left for JSON.parse to refuse.
    return end - start === 2 && text.charCodeAt(start) === 0x2d && text.charCodeAt(start + 1) === 0x30;
  }
  const literal = text.slice(start, end);
  if (String(Number(literal)) === literal || !NUMBER_LITERAL.test(literal)) return false;
  // A number in the position of a member name must stay a number, so that JSON.parse refuses it.
  let next = end;
  while (text.charCodeAt(next) <= 0x20) next++;
  return text.charCodeAt(next) !== 0x3a;
}

/** True for digits after an optional minus sign. */
function isDigits(text: string, start: number, end: number): boolean {
  for (let at = text.charCodeAt(start) === 0x2d ? start + 1 : start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

function isEscapedPair(text: string, high: number, next: number): boolean {
  if (high > 0xdbff || text.charCodeAt(next) !== 0x5c || text.charCodeAt(next + 1) !== 0x75) return false;
  const low = readHexadecimal(text, next + 2);
  return low >= 0xdc00 && low <= 0xdfff;
}

/** Returns the value of hexadecimal digits, NaN if there are none. */
function readHexadecimal(text: string, start: number): number {
  return parseInt(text.slice(start, start + 4), 16);
}
