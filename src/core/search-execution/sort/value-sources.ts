/** Finds the values of `_sort` keys in index rows, and the texts for what those rows hold only as hashes or keys. */
import type { RequestContext } from '../../context';
import { beginningOfDouble, doubleOfSortText, sortTextOfDouble } from '../../fhir/exact-number';
import { parseStoredObject, type JsonObject } from '../../fhir/json';
import { isCacheable } from '../../memory/cache-registry';
import { createCache, forEachDatabase } from '../../memory/create-cache';
import type { CodeRowsOf, HashedText } from '../../search/values/code-values';
import { compareTexts } from '../../search/sort/compare-texts';
import type { SearchQuery } from '../../search/requests/parse-search';
import { MAX_SORTED } from '../../search/sort/order';
import type { ReferenceRowsOf } from '../../search/values/reference-values';
import { sortColumnOf, type SortColumn } from '../../search/sort/sort-columns';
import type { SortValue } from '../../search/sort/sort-value';
import type { SearchServices, Services } from '../../ports';
import { hasLongNumbers } from '../../storage/search/long-numbers';
import type { ValueKey, SortColumnValues, ValueSource } from '../../storage/search/search-values';
import { findHashes, findOpenLows, findHeadlessTargets } from '../../storage/search/sorted-values';
import { keyOfText, keyText } from '../../storage/read/version-row';
import type { SortedPlace } from './sortables';

/** Maximum number of texts to look up for one key; with more, the texts of all matches are read. */
const MAX_TEXTS = MAX_SORTED;
/** Texts per statement. */
const CHUNK = 100;
/** Maximum number of keys; each costs a pass over its rows. */
const MAX_KEYS = 10;
/** Characters that PostgreSQL cannot store in a text: NUL and lone surrogates. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/** Cache of the texts of hashes; a hash never changes its meaning. */
const textCache = forEachDatabase(() =>
  createCache<string, string>({
    name: 'sorted-texts',
    scope: 'data',
    maxSize: 8_000_000,
    weigh: (text, key) => text.length + key.length,
  }),
);

/** The keys of an order in the form that the database sorts by. */
export interface ValueKeys {
  readonly keys: readonly ValueKey[];
  /** The position in the database's order; undefined if it has none there. */
  placeOf(place: SortedPlace): SortColumnValues | undefined;
  /** The sort values for the values of columns (search/sort/sort-value.ts). */
  valuesOf(stored: SortColumnValues['values']): readonly SortValue[];
}

interface Sourced {
  readonly source: ValueSource;
  /** The column's value for a sort value; undefined: the column has no such values. */
  storedOf(value: string | number): string | number | undefined;
  /** The sort value for a column's value; undefined: they are equal. */
  readonly sortValueOf?: (stored: number) => SortValue;
}

/**
 * The keys of the order; undefined if rows do not have all values: canonicals, numbers with more digits than a double,
 * more than MAX_TEXTS codes or addresses. Cost: some lookups; for codes and references two statements, and, the
 * first time, the text of a resource for each different code, external address and missing target.
 */
export async function valueKeysOf(
  services: SearchServices,
  context: RequestContext,
  query: SearchQuery,
  type: number,
): Promise<ValueKeys | undefined> {
  if (query.sort.length === 0 || query.sort.length > MAX_KEYS) return undefined;
  const definitions = services.definitionsOf(context.space);
  const of = { hasher: services.hasher, references: services.references(context.space) };
  const lookup = new SourceLookup(services, context, type);
  const sourced: Sourced[] = [];
  for (const key of query.sort) {
    const column = sortColumnOf(definitions, query.type, key, of);
    const found = column && (await lookup.sourceOf(column, query.sort.length === 1));
    if (found === undefined) return undefined;
    sourced.push(found);
  }
  return {
    keys: query.sort.map(({ descending }, at) => ({ source: (sourced[at] as Sourced).source, descending })),
    placeOf({ values, key }) {
      const stored = values.map((value, at) => (value === null ? null : sourced[at]?.storedOf(value)));
      return stored.every((value) => value !== undefined) ? { values: stored, key } : undefined;
    },
    valuesOf: (stored) =>
      stored.map((value, at) => {
        const sortValueOf = sourced[at]?.sortValueOf;
        return sortValueOf === undefined || value === null ? value : sortValueOf(Number(value));
      }),
  };
}

class SourceLookup {
  private readonly space: number;

  constructor(
    private readonly services: Pick<Services, 'connections' | 'database' | 'definitions' | 'reader'>,
    private readonly context: RequestContext,
    private readonly type: number,
  ) {
    this.space = context.space.number;
  }

  /** @param isOnlyKey `>5` sorts after 5; with further keys the two are equal (search/sort/sort-value.ts) */
  async sourceOf(column: SortColumn, isOnlyKey: boolean): Promise<Sourced | undefined> {
    switch (column.in) {
      case 'head':
        return { source: { of: column.column }, storedOf: column.column === 'id' ? textOf : numberOf };
      case 'string':
      case 'uri':
        return { source: { of: column.in, parameters: column.parameters }, storedOf: textOf };
      case 'range':
        return this.ranges(column, isOnlyKey);
      case 'codes':
        return this.codes(column.rows);
      case 'references':
        return this.references(column.rows);
    }
  }

  private async ranges(
    { domain, parameters }: Extract<SortColumn, { in: 'range' }>,
    isOnlyKey: boolean,
  ): Promise<Sourced | undefined> {
    if (domain === 'date')
      return { source: { of: 'low', parameters, begins: new Map() }, storedOf: numberOf };
    const { database } = this.services;
    for (const parameter of parameters)
      if (await hasLongNumbers(database, this.space, parameter)) return undefined;
    const begins = new Map<number, number>();
    if (!isOnlyKey) {
      const lows = await findOpenLows(database, this.space, parameters, MAX_TEXTS + 1);
      if (lows.length > MAX_TEXTS) return undefined;
      for (const low of lows) if (beginningOfDouble(low) !== low) begins.set(low, beginningOfDouble(low));
    }
    return {
      source: { of: 'low', parameters, begins },
      storedOf: (value) => (typeof value === 'string' ? doubleOfSortText(value) : undefined),
      sortValueOf: sortTextOfDouble,
    };
  }

  private async codes(rows: readonly CodeRowsOf[]): Promise<Sourced | undefined> {
    const textOfHash = await this.textsOf(
      rows.map(({ parameter, codesOf }) => ({ parameter, hashedOf: codesOf })),
    );
    if (textOfHash === undefined) return undefined;
    const texts = [...new Set(textOfHash.values())].sort(compareTexts);
    const rankOf = new Map(texts.map((text, index) => [text, index + 1]));
    const ranks = new Map([...textOfHash].map(([hash, text]) => [hash, rankOf.get(text) ?? 0]));
    return {
      source: { of: 'rank', parameters: rows.map(({ parameter }) => parameter), ranks },
      // A code that no longer exists has a rank between those of its neighbours.
      storedOf: (value) =>
        typeof value !== 'string'
          ? undefined
          : (rankOf.get(value) ?? texts.filter((other) => compareTexts(other, value) < 0).length + 0.5),
      sortValueOf: (rank) => texts[rank - 1] ?? null,
    };
  }

  private async references(rows: readonly ReferenceRowsOf[]): Promise<Sourced | undefined> {
    const { services, context } = this;
    const definitions = services.definitions(context.space.release);
    const addresses = await this.textsOf(
      rows.map(({ parameter, addressesOf }) => ({ parameter, hashedOf: addressesOf })),
    );
    if (addresses === undefined || [...addresses.values()].some((text) => UNSTORABLE.test(text)))
      return undefined;
    // Hashes of addresses do not have the target type.
    if (addresses.size > 0 && rows.some(({ targetType }) => targetType !== undefined)) return undefined;
    const ids: { type: number; key: string; detail: string }[] = [];
    for (const { parameter, targetsOf } of rows) {
      const headless = await findHeadlessTargets(
        services.database,
        this.space,
        parameter,
        MAX_TEXTS + 1 - ids.length,
      );
      if (ids.length + headless.length > MAX_TEXTS) return undefined;
      const idOfTarget = new Map<string, string>();
      await this.readTexts([...new Set(headless.map((target) => target.detail))], (resource) => {
        for (const { type, id, key } of targetsOf(resource))
          idOfTarget.set(`${definitions.typeNumber(type)} ${keyText(key)}`, id);
      });
      for (const { type, key } of headless) {
        const id = idOfTarget.get(`${type} ${key}`);
        if (id === undefined) return undefined;
        ids.push({ type, key, detail: id });
      }
    }
    const numbered = new Map(
      [...definitions.resourceTypes].map((name) => [definitions.typeNumber(name), name]),
    );
    const last = Math.max(...[...numbered.keys()].map((number) => number ?? 0));
    const typeNames = Array.from({ length: last }, (_none, index) => numbered.get(index + 1) ?? '');
    return {
      source: {
        of: 'reference',
        rows: rows.map(({ parameter, targetType }) => ({
          parameter,
          targetType: targetType === undefined ? undefined : definitions.typeNumber(targetType),
        })),
        typeNames,
        addresses,
        ids,
      },
      storedOf: textOf,
    };
  }

  /** The texts of the hashes of some parameters; undefined: too many, or the rows are older than the indexing rules. */
  private async textsOf(
    rows: readonly {
      readonly parameter: number;
      hashedOf(resource: JsonObject): readonly HashedText[];
    }[],
  ): Promise<Map<string, string> | undefined> {
    const texts = new Map<string, string>();
    const cache = textCache(this.services);
    for (const { parameter, hashedOf } of rows) {
      const limit = MAX_TEXTS + 1 - texts.size;
      const stored = await findHashes(this.services.database, this.space, parameter, limit);
      if (stored.length >= limit) return undefined;
      const nameOf = (hash: string): string => `${this.space} ${parameter} ${hash}`;
      const unknown = stored.filter(({ hash }) => {
        const text = cache.get(nameOf(hash));
        if (text !== undefined) texts.set(hash, text);
        return text === undefined;
      });
      await this.readTexts([...new Set(unknown.map(({ key }) => key))], (resource) => {
        for (const { text, hash } of hashedOf(resource)) {
          texts.set(keyText(hash), text);
          if (isCacheable(this.space)) cache.set(nameOf(keyText(hash)), text);
        }
      });
      if (stored.some(({ hash }) => !texts.has(hash))) return undefined;
    }
    return texts;
  }

  private async readTexts(keys: readonly string[], read: (resource: JsonObject) => void): Promise<void> {
    const { reader } = this.services;
    for (let start = 0; start < keys.length; start += CHUNK) {
      const addresses = keys
        .slice(start, start + CHUNK)
        .map((key) => ({ type: this.type, key: keyOfText(key) }));
      for (const row of await reader.readCurrent(this.space, addresses))
        if (row !== undefined) read(parseStoredObject((await reader.complete(this.space, row)).body));
    }
  }
}

function textOf(value: string | number): string | undefined {
  return typeof value === 'string' && !UNSTORABLE.test(value) ? value : undefined;
}

function numberOf(value: string | number): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
