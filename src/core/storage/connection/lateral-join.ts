/** Merges many calls of one statement, with different values, into one statement. */
import { fhirError } from '../../errors';
import { decodeArray } from './binary-array';
import type { Row } from './database';
import { MIN_INLINE_BYTES, STATEMENT_BYTES } from '../read/version-row';
import { CACHED_SET } from '../read/version-statements';
import { castsOf, type SqlPieces } from './sql-pieces';
import type { Bound, Statement } from './statement';
import { targetOf, type Call, type Combination } from './statement-batch';
import { StatementForms, type Form } from './statement-forms';

/** Rows with texts that one statement may return. */
const MAX_TEXTS = 8_000;
/** Rows that one statement may return; beyond it the request fails with `tooCostly`. */
const MAX_ROWS = 200_000;
/** Calls merged into one statement. */
const MAX_CALLS = 256;
/** Limit on the row text that one batch buffers; beyond it the request fails with `tooCostly`. */
const MAX_CHARACTERS = 128 * 1024 * 1024;
/** Longest buffer whose bytes are compared to tell one call from another. */
const SHORT_BUFFER = 1024;
/** Name of the bound limit on the size of texts in rows (version-row.ts). */
const INLINE_BYTES = 'inline_bytes';

/**
 * A combination for several searches that do the same at the same time, such as reverse references of each resource in a
 * list. Statements of the same text, sent in one turn of the event loop, become one. It runs the text for each
 * set of values by a lateral join, and equal sets of values once. Statements that cannot be merged run by themselves.
 * **Throws** tooCostly if the rows or their texts, of all statements together, exceed the limits.
 */
export function lateralJoin(): Combination {
  let characters = 0;
  return {
    keyOf: (call) => `${targetOf(call)} ${call.statement.text}`,
    schedule: (dispatch) => setImmediate(dispatch),
    most: ({ bound }) => maxCalls(bound[INLINE_BYTES]),
    count(rows) {
      if (rows.length > MAX_ROWS) throw tooMuch();
      for (const row of rows)
        for (const value of row) if (typeof value === 'string') characters += value.length;
      if (characters > MAX_CHARACTERS) throw tooMuch();
    },
    async combine(given, run) {
      const [first] = given;
      if (first === undefined) return [];
      const calls = given.map((call) => ({ ...call, bound: sharing(call.bound, given.length, first) }));
      // The calls differ in their values alone: the text is the same.
      const merged = merge(
        first.statement,
        calls.map(({ statement, bound }) => statement.values(bound)),
      );
      if (merged === undefined) return Promise.all(calls.map((call) => run(call)));
      const { statement } = merged;
      if (statement === undefined) {
        const rows = await run(first);
        return calls.map(() => rows);
      }
      const rows = await run({ context: first.context, statement, bound: {} });
      const distinct: Row[][] = Array.from({ length: merged.distinct }, () => []);
      for (const [ordinal, ...columns] of rows) distinct[Number(ordinal) - 1]?.push(columns);
      return merged.places.map((place) => distinct[place] ?? []);
    },
  };
}

function tooMuch(): Error {
  return fhirError('tooCostly', { reason: 'The request reads too much at once: request fewer resources' });
}

/** The number of calls to merge: fewer for long pages. The inline limit tells how many rows a page has. */
function maxCalls(inline: Bound | undefined): number {
  if (typeof inline !== 'number') return MAX_CALLS;
  return Math.max(1, Math.min(MAX_CALLS, Math.floor((MAX_TEXTS * inline) / STATEMENT_BYTES)));
}

/** Divides the inline limit among merged runs, and binds the same set of cached versions for all of them. */
function sharing(
  bound: Readonly<Record<string, Bound>>,
  calls: number,
  first: Pick<Call, 'bound'>,
): Readonly<Record<string, Bound>> {
  const shared = { ...bound };
  const inline = bound[INLINE_BYTES];
  if (typeof inline === 'number')
    shared[INLINE_BYTES] = Math.max(MIN_INLINE_BYTES, Math.floor(inline / calls));
  const cachedSet = first.bound[CACHED_SET];
  if (cachedSet !== undefined && bound[CACHED_SET] !== undefined) shared[CACHED_SET] = cachedSet;
  return shared;
}

interface Merged {
  /** Undefined: all calls have the same values. */
  readonly statement: Statement | undefined;
  /** Different calls. */
  readonly distinct: number;
  /** For each call, the index of its distinct call. */
  readonly places: readonly number[];
}

/** Undefined: the values cannot be passed as a table. */
function merge(statement: Statement, calls: readonly (readonly Bound[])[]): Merged | undefined {
  const placesByKey = new Map<string, number>();
  const named = new Map<Buffer, number>();
  /** Long buffers, such as the set of cached versions, are equal only if they are the same object. */
  const nameOf = (value: Bound): Bound => {
    if (!Buffer.isBuffer(value)) return value;
    if (value.length <= SHORT_BUFFER) return value.toString('latin1');
    const name = named.get(value) ?? named.size;
    named.set(value, name);
    return name;
  };
  const distinct: (readonly Bound[])[] = [];
  const places = calls.map((values) => {
    const key = JSON.stringify(values.map(nameOf));
    let place = placesByKey.get(key);
    if (place === undefined) {
      placesByKey.set(key, (place = distinct.length));
      distinct.push(values);
    }
    return place;
  });
  const varying = (distinct[0] ?? []).map((value, index) =>
    distinct.some((values) => !areSame(values[index], value)),
  );
  // Long buffers of equal content are different objects.
  if (!varying.includes(true)) return { statement: undefined, distinct: 1, places: calls.map(() => 0) };
  const types = castsOf(statement.pieces);
  if (varying.some((varies, index) => varies && types[index] === undefined)) return undefined;
  const form = formOf(statement, types, varying);
  const values = (distinct[0] ?? []).map((value, index): Bound => {
    if (varying[index] !== true) return value;
    const isArray = types[index]?.endsWith('[]') === true;
    return distinct.map((call) => toElement(call[index] ?? null, isArray));
  });
  return {
    statement: { ...form, isPlanningQuery: statement.isPlanningQuery === true, values: () => [...values] },
    distinct: distinct.length,
    places,
  };
}

function areSame(one: Bound | undefined, other: Bound | undefined): boolean {
  if (one === other) return true;
  if (Buffer.isBuffer(one) && Buffer.isBuffer(other)) return one.equals(other);
  return typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other);
}

/** Converts a value to an element of an array; a nested array becomes its text form. */
function toElement(value: Bound, isArray: boolean): string | number | null {
  if (value === null || typeof value === 'number') return value;
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (!isArray) throw new Error('an array was expected');
  return toArrayText(Buffer.isBuffer(value) ? decodeArray(value) : value);
}

function toArrayText(values: readonly (string | number | null)[]): string {
  const elements = values.map((value) => {
    if (value === null) return 'NULL';
    return typeof value === 'number' ? String(value) : `"${value.replace(/["\\]/g, '\\$&')}"`;
  });
  return `{${elements.join(',')}}`;
}

const forms = new StatementForms();

function formOf(
  { text, pieces }: Statement,
  types: readonly (string | undefined)[],
  varying: readonly boolean[],
): Form {
  const key = `${varying.map(Number).join('')} ${text}`;
  return forms.get(key, () => mergedPieces(pieces, types, varying));
}

/** SQL that runs the statement once for each row of a table of the varying values. */
function mergedPieces(
  pieces: SqlPieces,
  types: readonly (string | undefined)[],
  varying: readonly boolean[],
): SqlPieces {
  const columns = types.flatMap((type, index) =>
    varying[index] === true && type !== undefined
      ? [{ index, name: `v${index + 1}`, array: `::${type.endsWith('[]') ? 'text' : type}[]` }]
      : [],
  );
  return [
    'select merged_run.ordinal::int, merged_rows.* from unnest(',
    ...columns.flatMap(({ index, array }, place) => [place === 0 ? '' : ', ', index, array]),
    `) with ordinality as merged_run (${columns.map(({ name }) => name).join(', ')}, ordinal)`,
    ' cross join lateral (',
    ...pieces.map((piece) =>
      typeof piece === 'number' && varying[piece] === true ? `merged_run.v${piece + 1}` : piece,
    ),
    `) merged_rows limit ${MAX_ROWS + 1}`,
  ];
}
