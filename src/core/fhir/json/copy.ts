import { fhirError } from '../../errors';
import type { JsonValue } from '../json';
import { isForbiddenName, shorten } from './fault';
import { isNumberLiteral } from './scan';

type JsonCopy = string | number | boolean | null | JsonCopy[] | { [name: string]: JsonCopy };

/** Counters of one or several copies; `bytes` is spent, `marked` is set. */
export interface CopyAllowance {
  /** Levels of objects and arrays a value may have. */
  maxDepth: number;
  /** What is left of the size limit, in bytes of JSON, estimated (a character outside ASCII counts as one). */
  bytes: number;
  /** Becomes true when a marked decimal was copied. */
  marked: boolean;
}

/**
 * A deep copy that is JSON and nothing else: plain objects and arrays. For values that did not come through `parseJson`
 * (GraphQL literals) it makes the same promises: no name that reaches into prototypes, no U+0001 but in marked decimals,
 * no half surrogate pairs, finite numbers.
 *
 * Throws `invalidValue` for anything else, `invalidResource` for too deep a value, and `tooCostly` once the allowance
 * is used up, before more memory is taken.
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
      throw fhirError('invalidValue', { reason: `A member may not be called '${name}'` });
    checkName(name);
    spend(allowance, name.length + STRING_BYTES);
    copied[name] = copy(member, allowance, depth + 1);
  }
  return copied;
}

/**
 * The size of a value as `copyJson` counts it; more than `atMost` as soon as it is that. Cost: linear in what is counted;
 * it makes nothing.
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

/** What a text takes beside its characters. */
const STRING_BYTES = 3;
const NUMBER_BYTES = 8;
/** A literal, or an object or an array beside what it holds. */
const OTHER_BYTES = 6;

/** The error for a value that is nested deeper than allowed. */
function tooDeep(maxDepth: number): Error {
  return fhirError('invalidResource', { reason: `The content is nested deeper than ${maxDepth} levels` });
}

function spend(allowance: CopyAllowance, bytes: number): void {
  allowance.bytes -= bytes;
  if (allowance.bytes < 0)
    throw fhirError('tooCostly', { reason: 'The content would grow beyond the limit' });
}

/** U+0001, and halves of surrogate pairs. */
function isDoubtful(text: string): boolean {
  return text.includes('\u0001') || /\p{Cs}/u.test(text);
}

function checkString(value: string, allowance: CopyAllowance): void {
  if (!isDoubtful(value)) return;
  if (value.charCodeAt(0) === 1 && isNumberLiteral(value.slice(1))) allowance.marked = true;
  else
    throw fhirError('invalidValue', {
      reason: `The string '${shorten(value)}' holds a character that is not allowed`,
    });
}

function checkName(name: string): void {
  if (isDoubtful(name)) {
    throw fhirError('invalidValue', {
      reason: `The name '${shorten(name)}' holds a character that is not allowed`,
    });
  }
}
