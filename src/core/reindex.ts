/** Whether what search finds is what is stored: recomputes all index rows from the stored versions and compares. */
import type { IndexDifference } from './api';
import type { Space } from './context';
import { parseJson, isJsonObject } from './fhir/json';
import { ROW_SCHEME, type IndexRows } from './search/index-rows';
import type { Services } from './services';
import {
  INDEX_TABLES,
  readSpaces,
  scanSpace,
  type IndexTable,
  type ScannedHead,
  type ScannedKey,
} from './storage/index-scan';
import { keyOfText, keyText } from './storage/version-row';
import { extremesOf, NO_ROWS, sortDateText } from './storage/version-write';
import { streamOf } from './stream';

/**
 * Every difference between the index rows in the database and those that the stored versions give, of the spaces of
 * one tenant or of all, base spaces and disabled tenants included: rows that are missing, rows that are too many, rows of resources that are
 * deleted or were never there; and heads, versions, sort dates and presence bits that do not fit each other.
 * Each space is compared as one snapshot, so that writes may go on. Memory is bounded; cost: one sort of each table
 * of a space in PostgreSQL, and one extraction for each live resource.
 */
export async function* verifyIndex(services: Services, tenant?: string): AsyncGenerator<IndexDifference> {
  for await (const space of readSpaces(services.database)) {
    if (tenant !== undefined && space.tenant !== tenant) continue;
    yield* streamOf<IndexDifference>((emit) =>
      scanSpace(services.database, space.number, async (found) => {
        for (const difference of compareKey(services, space, found)) await emit(difference);
      }),
    );
  }
}

type RowTexts = Readonly<Record<IndexTable, string[]>>;

function noTexts(): Record<IndexTable, string[]> {
  return { token_index: [], reference_index: [], range_index: [], string_index: [], uri_index: [] };
}

function* compareKey(services: Services, space: Space, found: ScannedKey): Generator<IndexDifference> {
  const definitions = services.definitions(space.release);
  const stored = new Map<string, Record<IndexTable, string[]>>();
  for (const table of INDEX_TABLES) {
    for (const { parameter, text } of found.rows[table]) {
      const type = definitions.searchParameter(parameter % ROW_SCHEME.ofType)?.type ?? '';
      let texts = stored.get(type);
      if (texts === undefined) stored.set(type, (texts = noTexts()));
      texts[table].push(`${parameter} ${text}`);
    }
  }
  const heads = new Map<string, ScannedHead>();
  for (const head of found.heads) heads.set(definitions.typeName(head.type) ?? String(head.type), head);
  for (const [type, head] of heads) {
    yield* compareResource(services, space, type, found.key, head, stored.get(type) ?? noTexts());
  }
  const id = keyName(services, found.key);
  for (const [type, texts] of stored) {
    if (!heads.has(type)) yield* compareRows({ space, type, id }, noTexts(), texts);
  }
  for (const number of found.versionTypes) {
    const type = definitions.typeName(number) ?? String(number);
    if (heads.has(type)) continue;
    yield difference({ space, type, id }, 'resource_version', [], ['versions without a head']);
  }
}

interface Place {
  readonly space: Space;
  readonly type: string;
  readonly id: string;
}

function* compareResource(
  services: Services,
  space: Space,
  type: string,
  key: string,
  head: ScannedHead,
  stored: RowTexts,
): Generator<IndexDifference> {
  const place = { space, type, id: head.id ?? keyName(services, key) };
  const { current } = head;
  if (current === undefined || head.versions !== head.version || head.newest !== head.version) {
    const versions = `versions up to ${head.newest}, ${head.versions} of them`;
    yield difference(place, 'resource_version', [`versions 1 to ${head.version}`], [versions]);
  }
  if (current === undefined) return;
  if (current.isDeletion !== head.deleted || current.lastUpdated !== head.lastUpdated) {
    const said = (deleted: boolean, at: number): string => `${deleted ? 'deleted' : 'live'} since ${at}`;
    const wanted = said(current.isDeletion, current.lastUpdated);
    yield difference(place, 'resource', [wanted], [said(head.deleted, head.lastUpdated)]);
  }
  const rows = current.isDeletion ? NO_ROWS : extractAgain(services, space, type, current.body);
  const wantedHead = `sort date ${sortDateText(rows.sortDate)}, presence ${Buffer.from(rows.presence).toString('hex')}`;
  const storedHead = `sort date ${head.sortDate}, presence ${head.presence.toString('hex')}`;
  if (wantedHead !== storedHead) yield difference(place, 'resource', [wantedHead], [storedHead]);
  yield* compareRows(place, rowTexts(rows), stored);
}

function extractAgain(services: Services, space: Space, type: string, body: string): IndexRows {
  const { value } = parseJson(body, { maxDepth: Number.MAX_SAFE_INTEGER });
  return isJsonObject(value) ? services.extract(space, type, value) : NO_ROWS;
}

function* compareRows(place: Place, wanted: RowTexts, stored: RowTexts): Generator<IndexDifference> {
  for (const table of INDEX_TABLES) {
    const missing = without(wanted[table], stored[table]);
    const superfluous = without(stored[table], wanted[table]);
    if (missing.length > 0 || superfluous.length > 0) yield difference(place, table, missing, superfluous);
  }
}

/** The members of `all` that `taken` does not have, each as often as it is missing there. */
function without(all: readonly string[], taken: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of taken) counts.set(text, (counts.get(text) ?? 0) + 1);
  return all.filter((text) => {
    const count = counts.get(text) ?? 0;
    if (count > 0) counts.set(text, count - 1);
    return count === 0;
  });
}

function difference(
  { space, type, id }: Place,
  table: IndexDifference['table'],
  missing: readonly string[],
  superfluous: readonly string[],
): IndexDifference {
  return {
    tenant: space.tenant,
    release: space.release,
    space: space.number,
    type,
    id,
    table,
    missing,
    superfluous,
  };
}

/** The id of a key of ours; of a client's id, whose head is gone, only the key is known. */
function keyName(services: Services, text: string): string {
  const key = keyOfText(text);
  return services.keys.isOwn(key) ? services.keys.idOf(key) : `key ${text}`;
}

/** The rows as `scanSpace` gives them, led by their parameter. */
function rowTexts(rows: IndexRows): RowTexts {
  const date = sortDateText(rows.sortDate);
  return {
    token_index: rows.tokens.map(
      (row) => `${row.parameter} ${hashText(row.valueHigh, row.valueLow)} ${row.system} ${date}`,
    ),
    reference_index: rows.references.map(
      (row) => `${row.parameter} ${hashText(row.targetHigh, row.targetLow)} ${row.targetType} ${date}`,
    ),
    range_index: rows.ranges.map((row) =>
      [
        ...[row.parameter, hashText(row.qualifierHigh, row.qualifierLow), row.low, row.high],
        ...[row.unitSystem, row.unitCode, row.unitName, extremesOf(row)],
      ].join(' '),
    ),
    string_index: rows.strings.map((row) => `${row.parameter} ${row.exact} ${extremesOf(row)} ${row.value}`),
    uri_index: rows.uris.map((row) => `${row.parameter} ${row.version} ${row.value}`),
  };
}

function hashText(high: number, low: number): string {
  return keyText({ high, low });
}
