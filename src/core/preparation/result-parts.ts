/**
 * Large results of the worker thread are sent in parts, because receiving 30 MB of text at once would block all other
 * requests. The texts are sent separately, each part after the previous one was received; the rest of the result
 * follows.
 */
import { arraysOf } from '../fhir/terminology/compact-code-system';
import type { OutlinedEntry, RefusedEntry } from './bundle';
import type { ResultPart, TaskResult } from './messages';
import { lengthOf } from './resource-input';

/** Approximate length of one part in characters. */
const PART_LENGTH = 1024 * 1024;

interface SplitResult {
  /** The result without the texts of the parts. */
  readonly rest: TaskResult;
  readonly parts: readonly ResultPart[];
}

/** Splits the texts from a large result. */
export function toParts(result: TaskResult): SplitResult {
  if (result.name === 'bundle') {
    const { value } = result;
    const parts = partsOf(value.entries.map(textOfEntry));
    if (parts.length <= 1) return { rest: result, parts: [] };
    return { rest: { ...result, value: { ...value, entries: value.entries.map(withoutText) } }, parts };
  }
  if (result.name === 'versions' && result.value !== 'evicted') {
    const { value } = result;
    const parts = partsOf(value.entries.map(({ text }) => text));
    if (parts.length <= 1) return { rest: result, parts: [] };
    return {
      rest: {
        ...result,
        value: { ...value, entries: value.entries.map((entry) => ({ ...entry, text: '' })) },
      },
      parts,
    };
  }
  return { rest: result, parts: [] };
}

/** Inserts the texts of all parts. */
export function fromParts(result: TaskResult, texts: ReadonlyMap<number, string>): TaskResult {
  if (texts.size === 0) return result;
  if (result.name === 'bundle') {
    const entries = result.value.entries.map((entry, place) => {
      const text = texts.get(place);
      return text === undefined || 'refusal' in entry ? entry : { ...entry, input: { text } };
    });
    return { ...result, value: { ...result.value, entries } };
  }
  if (result.name === 'versions' && result.value !== 'evicted') {
    const entries = result.value.entries.map((entry, place) => ({ ...entry, text: texts.get(place) ?? '' }));
    return { ...result, value: { ...result.value, entries } };
  }
  return result;
}

/** Bytes from which memory is transferred, not copied. */
const TRANSFERRED = 64 * 1024;

/** Returns the memory of a result that is transferred to the receiving thread. */
export function transferredBy(result: TaskResult): ArrayBuffer[] {
  if (result.name === 'codeSystem') return arraysOf(result.value).map(({ buffer }) => buffer);
  if (result.name !== 'versions' || result.value === 'evicted') return [];
  const found = new Set<ArrayBuffer>();
  for (const { bound } of result.value.writes)
    for (const value of Object.values(bound))
      if (
        value instanceof Uint8Array &&
        value.buffer instanceof ArrayBuffer &&
        value.byteLength >= TRANSFERRED &&
        // A part of larger memory, such as a pool of Node.js, belongs to others too.
        value.byteLength === value.buffer.byteLength
      )
        found.add(value.buffer);
  return [...found];
}

function textOfEntry(entry: OutlinedEntry | RefusedEntry): string | undefined {
  if ('refusal' in entry || entry.input === undefined || !('text' in entry.input)) return undefined;
  return entry.input.text;
}

function withoutText(entry: OutlinedEntry | RefusedEntry): OutlinedEntry | RefusedEntry {
  if ('refusal' in entry || entry.input === undefined || lengthOf(entry.input) === 0) return entry;
  return { ...entry, input: undefined };
}

function partsOf(texts: readonly (string | undefined)[]): ResultPart[] {
  const parts: (readonly [number, string])[][] = [];
  let length = Infinity;
  for (const [place, text] of texts.entries()) {
    if (text === undefined) continue;
    if (length + text.length > PART_LENGTH) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)?.push([place, text]);
    length += text.length;
  }
  return parts;
}
