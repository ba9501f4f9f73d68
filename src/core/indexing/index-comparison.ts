/** Compares the stored heads and index rows of a space with those that its versions give. */
import type { IndexDifference } from '../api/index-work';
import type { Space } from '../context';
import type { Definitions } from '../fhir/definitions';
import { parseStoredObject } from '../fhir/json';
import { RELEASES } from '../fhir/release';
import type { Extractor } from '../search/rows/extract';
import { containerTypeOf, parameterOfRow } from '../search/rows/index-rows';
import { withTenantParameters, type TenantParameter } from '../search/parameters/tenant-parameter';
import type { Services } from '../ports';
import type { CurrentVersion, RepairTarget, ExpectedRows } from '../storage/indexing/index-repair';
import {
  readTexts,
  scanSpace,
  type ScannedHead,
  type ScannedKey,
  type ScannedVersion,
  type SpaceScan,
} from '../storage/indexing/index-scan';
import {
  identityOf,
  INDEX_TABLES,
  noRows,
  targetKeysText,
  toResourceRows,
  type IndexRow,
  type IndexTable,
  type ResourceRows,
} from '../storage/indexing/index-tables';
import type { OwnerSession } from '../storage/connection/owner-session';
import { readAsOwner, type ParameterProgress } from '../storage/indexing/search-parameters';
import { keyOfText } from '../storage/read/version-row';
import { NO_ROWS, sortDateText } from '../storage/write/version-write';
import { UnsettledParameters } from './unsettled-parameters';

/** The differences of one resource. */
export interface Comparison {
  /** Differences that a reindex repairs. */
  readonly differences: readonly IndexDifference[];
  /** Differences that a reindex cannot repair: missing versions or heads. */
  readonly losses: readonly IndexDifference[];
  /** Undefined: the correct rows cannot be determined, so they stay as they are. */
  readonly target: RepairTarget | undefined;
}

export interface ComparedGroup {
  /** Heads in the group. */
  readonly resources: number;
  readonly found: readonly Comparison[];
}

/** Limits of a group: heads, bytes of their texts, index rows. A single resource may exceed them. */
const MAX_HEADS = 64;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_ROWS = 20_000;

/** A stored resource is indexed completely, whatever the limit for clients is now. */
const MAX_ROWS_OF_RESOURCE = 10_000_000;

export class SpaceComparer {
  private definitions: Definitions;
  private extract: Extractor;
  private unsettled: UnsettledParameters;
  /** The tenant's parameters that are compared, and all that it had before and after the scan. */
  private settled: readonly TenantParameter[] = [];
  private all: readonly TenantParameter[] = [];
  /** Numbers of parameters whose expressions exceeded their budget; their rows are not compared. */
  readonly exceeded = new Set<number>();

  constructor(
    private readonly services: Pick<Services, 'createExtractor' | 'definitions' | 'keys'>,
    private readonly session: OwnerSession,
    private readonly space: Space,
    /** repair: compares rows of parameters that are being indexed too; compare: leaves them out. */
    private readonly purpose: 'repair' | 'compare',
  ) {
    this.definitions = services.definitions(space.release);
    this.extract = services.createExtractor(space, MAX_ROWS_OF_RESOURCE);
    this.unsettled = new UnsettledParameters(this.definitions, []);
  }

  /** Opens the snapshot that `groups` reads. */
  async scan(): Promise<SpaceScan> {
    const before = await readAsOwner(this.session, this.space);
    const scan = await scanSpace(this.session, this.space.number);
    // Read after the snapshot, which has no rows of parameters that were created later.
    this.recordParameters(before, await readAsOwner(this.session, this.space));
    return scan;
  }

  private recordParameters(before: readonly ParameterProgress[], after: readonly ParameterProgress[]): void {
    const isSettled = ({ state }: TenantParameter): boolean =>
      state === 'active' || (state === 'indexing' && this.purpose === 'repair');
    this.settled = after.map(({ parameter }) => parameter).filter(isSettled);
    this.all = [...before, ...after].map(({ parameter }) => parameter);
    this.useParameters();
  }

  private useParameters(): void {
    const list = this.settled.filter(({ number }) => !this.exceeded.has(number));
    const settled = new Set(list.map(({ number }) => number));
    const definitions = this.services.definitions(this.space.release);
    this.definitions = withTenantParameters(definitions, list);
    const searchParameters = { change: 0, list };
    this.extract = this.services.createExtractor({ ...this.space, searchParameters }, MAX_ROWS_OF_RESOURCE);
    this.unsettled = new UnsettledParameters(
      definitions,
      this.all.filter(({ number }) => !settled.has(number)),
    );
  }

  /** Compares everything in the snapshot, group by group. */
  async *groups(scan: SpaceScan): AsyncGenerator<ComparedGroup> {
    let group: ScannedKey[] = [];
    let [heads, bytes, rows] = [0, 0, 0];
    for await (const found of scan.keys) {
      const ownBytes = found.heads.reduce((sum, { current }) => sum + (current?.bytes ?? 0), 0);
      const ownRows = INDEX_TABLES.reduce((sum, table) => sum + found.rows[table].length, 0);
      const isFull = heads >= MAX_HEADS || bytes + ownBytes > MAX_BYTES || rows + ownRows > MAX_ROWS;
      if (isFull && group.length > 0) {
        yield await this.compareGroup(group);
        group = [];
        [heads, bytes, rows] = [0, 0, 0];
      }
      group.push(found);
      heads += found.heads.length;
      bytes += ownBytes;
      rows += ownRows;
    }
    if (group.length > 0) yield await this.compareGroup(group);
  }

  /** The head and rows that a version gives by the indexing rules of this process. */
  recompute(typeName: string, version: CurrentVersion): ExpectedRows {
    const rows = version.isDeletion ? NO_ROWS : this.rowsOf(typeName, version.body);
    return {
      deleted: version.isDeletion,
      lastUpdated: version.lastUpdated,
      sortDate: sortDateText(rows.sortDate),
      presence: Buffer.from(rows.presence),
      targetKeys: targetKeysText(rows),
      rows: toResourceRows(rows),
    };
  }

  typeNameOf(number: number | undefined): string {
    return number === undefined ? '' : (this.definitions.typeName(number) ?? String(number));
  }

  private rowsOf(typeName: string, body: string): typeof NO_ROWS {
    const rows = this.extract(typeName, parseStoredObject(body));
    if (rows.exceeded === undefined) return rows;
    this.exceeded.add(rows.exceeded.parameter);
    this.useParameters();
    return this.rowsOf(typeName, body);
  }

  private async compareGroup(group: readonly ScannedKey[]): Promise<ComparedGroup> {
    const live = group.flatMap(({ key, heads }) =>
      heads.filter(({ current }) => current?.isDeletion === false).map((head) => ({ key, head })),
    );
    const texts = await readTexts(
      this.session,
      this.space.number,
      live.map(({ key, head }) => ({ type: head.type, key, version: head.version })),
    );
    const textOf = new Map(live.map(({ head }, index) => [head, texts[index] ?? '']));
    return {
      resources: group.reduce((sum, { heads }) => sum + heads.length, 0),
      found: group.flatMap((found) => [...this.compareKey(found, textOf)]),
    };
  }

  private *compareKey(found: ScannedKey, textOf: ReadonlyMap<ScannedHead, string>): Generator<Comparison> {
    const rowsOfTypes = this.rowsByType(found.rows);
    for (const head of found.heads) {
      const stored = rowsOfTypes.get(head.type) ?? noRows();
      rowsOfTypes.delete(head.type);
      const comparison = this.compareResource(found.key, head, stored, textOf.get(head) ?? '');
      if (comparison.differences.length > 0 || comparison.losses.length > 0) yield comparison;
    }
    const withHead = new Set(found.heads.map(({ type }) => type));
    const lost = new Set(found.versionTypes.filter((type) => !withHead.has(type)));
    const id = this.keyName(found.key);
    for (const [type, stored] of rowsOfTypes) {
      const place = { space: this.space, type: this.typeNameOf(type), id };
      const differences = [...compareRows(place, noRows(), stored)];
      const isLost = type !== undefined && lost.has(type);
      const target = isLost ? undefined : { type, key: found.key, stored, seen: undefined };
      yield { differences: isLost ? [] : differences, losses: isLost ? differences : [], target };
    }
    for (const type of lost) {
      const place = { space: this.space, type: this.typeNameOf(type), id };
      const losses = [difference(place, 'resource_version', [], ['versions without a head'])];
      yield { differences: [], losses, target: undefined };
    }
  }

  /** Rows by the number of the resource type that they belong to; undefined: no type. */
  private rowsByType(rows: ResourceRows): Map<number | undefined, Record<IndexTable, IndexRow[]>> {
    const types = new Map<number | undefined, Record<IndexTable, IndexRow[]>>();
    for (const table of INDEX_TABLES) {
      for (const row of rows[table]) {
        if (this.unsettled.hasRow(row)) continue;
        const parameter = this.definitions.searchParameter(parameterOfRow(row[0]) ?? 0);
        const type = containerTypeOf(row[0]) ?? (parameter && this.definitions.typeNumber(parameter.type));
        let ofType = types.get(type);
        if (ofType === undefined) types.set(type, (ofType = noRows()));
        ofType[table].push(row);
      }
    }
    return types;
  }

  private compareResource(key: string, head: ScannedHead, stored: ResourceRows, body: string): Comparison {
    const { current } = head;
    const type = this.typeNameOf(head.type);
    const place = { space: this.space, type, id: head.id ?? this.keyName(key) };
    const losses: IndexDifference[] = [];
    // In the base spaces, versions of earlier definitions have been removed.
    const first = this.space.number === RELEASES[this.space.release].baseSpace ? head.version : 1;
    const isWhole = head.versions === head.version - first + 1 && head.newest === head.version;
    if (current === undefined || !isWhole) {
      const versions = `versions up to ${head.newest}, ${head.versions} of them`;
      losses.push(
        difference(place, 'resource_version', [`versions ${first} to ${head.version}`], [versions]),
      );
    }
    if (current === undefined || head.newest !== head.version)
      return { differences: [], losses, target: undefined };
    const wanted = this.recompute(type, { ...current, body });
    const differences = [...compareHead(place, { head, current, wanted, unsettled: this.unsettled })];
    differences.push(...compareRows(place, wanted.rows, stored));
    const seen = { version: head.version, lastUpdated: head.lastUpdated, wanted };
    return { differences, losses, target: { type: head.type, key, stored, seen } };
  }

  /** The id if the server assigned it. A client's id is not in the key, so the key is named instead. */
  private keyName(text: string): string {
    const key = keyOfText(text);
    return this.services.keys.isOwn(key) ? this.services.keys.idOf(key) : `key ${text}`;
  }
}

interface ComparedResource {
  readonly space: Space;
  readonly type: string;
  readonly id: string;
}

function* compareHead(
  place: ComparedResource,
  {
    head,
    current,
    wanted,
    unsettled,
  }: {
    readonly head: ScannedHead;
    readonly current: ScannedVersion;
    readonly wanted: ExpectedRows;
    readonly unsettled: UnsettledParameters;
  },
): Generator<IndexDifference> {
  if (current.isDeletion !== head.deleted || current.lastUpdated !== head.lastUpdated) {
    const describe = (deleted: boolean, at: number): string => `${deleted ? 'deleted' : 'live'} since ${at}`;
    const since = describe(current.isDeletion, current.lastUpdated);
    yield difference(place, 'resource', [since], [describe(head.deleted, head.lastUpdated)]);
  }
  const hasAllTargets = unsettled.canRefer(place.type) && isPartOf(wanted.targetKeys, head.targetKeys);
  const sortingOf = (of: { sortDate: string; presence: Buffer; targetKeys: string }): string => {
    const targets = hasAllTargets ? wanted.targetKeys : of.targetKeys;
    return `sort date ${of.sortDate}, presence ${unsettled.presenceText(place.type, of.presence)}, targets ${targets}`;
  };
  if (sortingOf(wanted) !== sortingOf(head))
    yield difference(place, 'resource', [sortingOf(wanted)], [sortingOf(head)]);
}

/** True if all elements of `part` are in `whole`; both are arrays in PostgreSQL's text form. */
function isPartOf(part: string, whole: string): boolean {
  const keys = new Set(whole.slice(1, -1).split(','));
  return (
    part === '{}' ||
    part
      .slice(1, -1)
      .split(',')
      .every((key) => keys.has(key))
  );
}

function* compareRows(
  place: ComparedResource,
  wanted: ResourceRows,
  stored: ResourceRows,
): Generator<IndexDifference> {
  for (const table of INDEX_TABLES) {
    const { missing, superfluous } = subtract(wanted[table], stored[table]);
    if (missing.length > 0 || superfluous.length > 0) yield difference(place, table, missing, superfluous);
  }
}

/** The rows that only one side has, with multiplicity, as texts. */
function subtract(
  wanted: readonly IndexRow[],
  stored: readonly IndexRow[],
): { missing: string[]; superfluous: string[] } {
  const left = new Map<string, IndexRow[]>();
  for (const row of stored) {
    const identity = identityOf(row);
    const same = left.get(identity);
    if (same === undefined) left.set(identity, [row]);
    else same.push(row);
  }
  const missing = wanted.filter((row) => left.get(identityOf(row))?.pop() === undefined);
  const inWords = (row: IndexRow): string => row.join(' ');
  return { missing: missing.map(inWords), superfluous: [...left.values()].flat().map(inWords) };
}

function difference(
  { space, type, id }: ComparedResource,
  table: IndexDifference['table'],
  missing: readonly string[],
  superfluous: readonly string[],
): IndexDifference {
  const { tenant, release, number } = space;
  return { tenant, release, space: number, type, id, table, missing, superfluous };
}
