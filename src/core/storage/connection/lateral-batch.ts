/** Merges many runs of one statement, with different values, into one statement. */
import { setImmediate as setImmediateOnce } from 'node:timers/promises';
import { fhirError } from '../../errors';
import { decodeArray } from './binary-array';
import type { Database, Row, StatementContext } from './database';
import { MIN_INLINE_BYTES, STATEMENT_BYTES } from '../read/version-row';
import { castsOf, type SqlPieces } from './sql-pieces';
import type { Bound, Statement } from './statement';
import { StatementForms, type Form } from './statement-forms';

/** Rows with texts that one statement may return. */
const MAX_TEXTS = 8_000;
/** Rows that one statement may return; beyond it the request fails with `tooCostly`. */
const MAX_ROWS = 200_000;
/** Runs merged into one statement. */
const MAX_RUNS = 256;
/** Limit on the row text that one batch buffers; beyond it the request fails with `tooCostly`. */
const MAX_CHARACTERS = 128 * 1024 * 1024;
/** Longest buffer whose bytes are compared to tell one run from another. */
const SHORT_BUFFER = 1024;
/** Name of the bound limit on the size of texts in rows (version-row.ts). */
const INLINE_BYTES = 'inline_bytes';
/** Name of the bound set of versions whose texts are cached (cached-sequences.ts). */
const CACHED_SET = 'cached_set';

interface Run {
  readonly statement: Statement;
  readonly bound: Readonly<Record<string, Bound>>;
  readonly context: StatementContext;
  resolve(rows: Row[]): void;
  reject(reason: unknown): void;
}

/**
 * A database for several searches that do the same at the same time, such as reverse references of each resource in a
 * list. Statements of the same text, sent in one turn of the event loop, are merged into one. It runs the text for each
 * set of values by a lateral join, and equal sets of values once. Statements that cannot be merged run by themselves.
 * **Throws** tooCostly if the rows or their texts exceed the limits.
 */
export class LateralBatch implements Database {
  private waiting = new Map<string, Run[]>();
  private characters = 0;
  private planningQueries = 0;
  private afterQueries: (() => void)[] = [];

  constructor(private readonly database: Database) {}

  run(
    context: StatementContext,
    statement: Statement,
    bound: Readonly<Record<string, Bound>>,
  ): Promise<Row[]> {
    const rows = new Promise<Row[]>((resolve, reject) => {
      const run: Run = { context, statement, bound, resolve, reject };
      const key = `${context.lane} ${context.space ?? ''} ${statement.text}`;
      if (this.waiting.size === 0) setImmediate(() => this.dispatch());
      const runs = this.waiting.get(key);
      if (runs === undefined) this.waiting.set(key, [run]);
      else runs.push(run);
    });
    return statement.isPlanningQuery === true ? this.counting(rows) : rows;
  }

  private async counting(rows: Promise<Row[]>): Promise<Row[]> {
    this.planningQueries++;
    try {
      return await rows;
    } finally {
      this.planningQueries--;
      if (this.planningQueries === 0) setImmediate(() => this.release());
    }
  }

  private release(): void {
    const released = this.afterQueries;
    this.afterQueries = [];
    for (const go of released) go();
  }

  /**
   * Resolves when no planning query (`Statement.isPlanningQuery`) of the batch is under way. A search with a finished
   * plan waits for the others, so that their next statements can be merged.
   */
  async afterPlanning(): Promise<void> {
    await setImmediateOnce();
    while (this.planningQueries > 0) await new Promise<void>((go) => this.afterQueries.push(go));
  }

  private dispatch(): void {
    const groups = this.waiting;
    this.waiting = new Map();
    for (const runs of groups.values()) {
      const most = maxRuns(runs[0]?.bound[INLINE_BYTES]);
      for (let start = 0; start < runs.length; start += most)
        void this.runGroup(runs.slice(start, start + most));
    }
  }

  private async runGroup(runs: readonly Run[]): Promise<void> {
    try {
      for (const [index, rows] of (await this.runAll(runs)).entries()) runs[index]?.resolve(rows);
    } catch (error) {
      for (const run of runs) run.reject(error);
    }
  }

  private async runAll(runs: readonly Run[]): Promise<Row[][]> {
    const [first] = runs;
    if (first === undefined) return [];
    const { context } = first;
    const calls = runs.map(({ statement, bound }) => statement.values(sharing(bound, runs.length, first)));
    // The runs differ in their values alone: the text is the same.
    const merged = runs.length === 1 ? undefined : merge(first.statement, calls);
    if (merged === undefined) {
      return Promise.all(
        runs.map(async ({ statement, bound }) =>
          this.counted(await this.database.run(context, statement, sharing(bound, runs.length, first))),
        ),
      );
    }
    if (merged.statement === undefined) {
      const rows = this.counted(await this.database.run(context, first.statement, first.bound));
      return runs.map(() => rows);
    }
    const rows = this.counted(await this.database.run(context, merged.statement, {}));
    const distinct: Row[][] = Array.from({ length: merged.distinct }, () => []);
    for (const [ordinal, ...columns] of rows) distinct[Number(ordinal) - 1]?.push(columns);
    return merged.places.map((place) => distinct[place] ?? []);
  }

  private counted(rows: Row[]): Row[] {
    if (rows.length > MAX_ROWS) throw tooMuch();
    for (const row of rows) {
      for (const value of row) if (typeof value === 'string') this.characters += value.length;
    }
    if (this.characters <= MAX_CHARACTERS) return rows;
    throw tooMuch();
  }
}

function tooMuch(): Error {
  return fhirError('tooCostly', { reason: 'The request reads too much at once: request fewer resources' });
}

/** The number of runs to merge: fewer for long pages. The inline limit tells how many rows a page has. */
function maxRuns(inline: Bound | undefined): number {
  if (typeof inline !== 'number') return MAX_RUNS;
  return Math.max(1, Math.min(MAX_RUNS, Math.floor((MAX_TEXTS * inline) / STATEMENT_BYTES)));
}

/** Divides the inline limit among merged runs, and binds the same set of cached versions for all of them. */
function sharing(
  bound: Readonly<Record<string, Bound>>,
  runs: number,
  first: Pick<Run, 'bound'>,
): Readonly<Record<string, Bound>> {
  if (runs === 1) return bound;
  const shared = { ...bound };
  const inline = bound[INLINE_BYTES];
  if (typeof inline === 'number')
    shared[INLINE_BYTES] = Math.max(MIN_INLINE_BYTES, Math.floor(inline / runs));
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
