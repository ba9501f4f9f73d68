import { fhirError } from '../../errors';
import type { JsonValue } from '../json';
import { isForbiddenName, shorten } from './fault';
import { isNumberLiteral } from './scan';

type JsonCopy = string | number | boolean | null | JsonCopy[] | { [name: string]: JsonCopy };

/** Counters of one or several copies: `copyJson` reduces `bytes` and sets `marked`. */
export interface CopyAllowance {
  /** Maximum nesting of objects and arrays. */
  maxDepth: number;
  /** Remaining size, in estimated bytes of JSON (a character outside ASCII counts as one). */
  bytes: number;
  /** Becomes true when a marked decimal is copied. */
  marked: boolean;
}

/**
 * Returns a deep copy that is pure JSON: plain objects and arrays. Values that did not come through `parseJson`
 * (GraphQL literals) get the same guarantees: no name that reaches into prototypes, no U+0001 except in marked
 * decimals, no half surrogate pairs, finite numbers.
 *
 * Throws `invalidValue` for anything else, `invalidResource` for too deep a value, and `tooCostly` as soon as the
 * allowance is exhausted, before it takes more memory.
 */
export function copyJson(value: unknown, allowance: CopyAllowance): JsonCopy {
  return copy(value, allowance, 0);
}

function copy(value: unknown, allowance: CopyAllowance, depth: number): JsonCopy {
  switch (typeof value) {
    case 'string':
      checkString(value, allowance);
      spend(allowance, value.length + STRING_BYTES);
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw fhirError('invalidValue', { reason: 'A number must be finite' });
      spend(allowance, NUMBER_BYTES);
      return value;
    case 'boolean':
      spend(allowance, OTHER_BYTES);
      return value;
    case 'object':
      break;
    default:
      throw fhirError('invalidValue', { reason: 'A value is not JSON' });
  }
  spend(allowance, OTHER_BYTES);
  if (value === null) return null;
  if (depth >= allowance.maxDepth) throw tooDeep(allowance.maxDepth);
  if (Array.isArray(value)) {
    const copied: JsonCopy[] = [];
    for (const member of value as readonly unknown[]) copied.push(copy(member, allowance, depth + 1));
    return copied;
  }
  const copied: { [name: string]: JsonCopy } = {};
  for (const [name, member] of Object.entries(value)) {
    if (isForbiddenName(name))
      throw fhirError('invalidValue', { reason: `A member must not have the name '${name}'` });
    checkName(name);
    spend(allowance, name.length + STRING_BYTES);
    copied[name] = copy(member, allowance, depth + 1);
  }
  return copied;
}

/**
 * Returns the size of a value as `copyJson` counts it; stops with a size above `atMost` once it is certain. Cost:
 * linear in the counted part, without allocation.
 */
export function sizeOfJson(value: JsonValue, atMost: number): number {
  if (typeof value === 'string') return value.length + STRING_BYTES;
  if (typeof value === 'number') return NUMBER_BYTES;
  if (typeof value === 'boolean' || value === null) return OTHER_BYTES;
  let size = OTHER_BYTES;
  if (Array.isArray(value)) {
    for (const element of value) {
      size += sizeOfJson(element, atMost - size);
      if (size > atMost) return size;
    }
    return size;
  }
  for (const name in value) {
    size += name.length + STRING_BYTES + sizeOfJson(value[name] ?? null, atMost - size);
    if (size > atMost) return size;
  }
  return size;
}

/** Bytes of a text beside its characters. */
const STRING_BYTES = 3;
const NUMBER_BYTES = 8;
/** Bytes of a literal, or of an object or array without its content. */
const OTHER_BYTES = 6;

function tooDeep(maxDepth: number): Error {
  return fhirError('invalidResource', { reason: `The content is nested deeper than ${maxDepth} levels` });
}

function spend(allowance: CopyAllowance, bytes: number): void {
  allowance.bytes -= bytes;
  if (allowance.bytes < 0)
    throw fhirError('tooCostly', { reason: 'The content would grow beyond the limit' });
}

/** True for U+0001, and for halves of surrogate pairs. */
function mayBeInvalid(text: string): boolean {
  return text.includes('\u0001') || /\p{Cs}/u.test(text);
}

function checkString(value: string, allowance: CopyAllowance): void {
  if (!mayBeInvalid(value)) return;
  if (value.charCodeAt(0) === 1 && isNumberLiteral(value.slice(1))) allowance.marked = true;
  else
    throw fhirError('invalidValue', {
      reason: `The string '${shorten(value)}' holds a character that is not allowed`,
    });
}

function checkName(name: string): void {
  if (mayBeInvalid(name)) {
    throw fhirError('invalidValue', {
      reason: `The name '${shorten(name)}' holds a character that is not allowed`,
    });
  }
}
