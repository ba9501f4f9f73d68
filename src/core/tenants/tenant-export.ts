/** A whole tenant as lines of JSON (docs/run/tenants.md, "Export and import"). */
import type { ExportPart, ExportLine } from '../api/tenant';
import { createHash, type Hash } from 'node:crypto';
import { parsePolicies } from '../authorization/policy';
import { ANONYMOUS } from '../context';
import { fhirError, FhirError } from '../errors';
import { parseStoredObject } from '../fhir/json';
import { parseReference, visitReferenceTexts } from '../fhir/reference';
import { RELEASE_NAMES, type Release } from '../fhir/release';
import { formatInstant, toFullText } from '../fhir/resource-text';
import { oneLine } from '../fhir/one-line';
import type { SearchServices, Services } from '../ports';
import type { RecordedSpace } from '../storage/audit/access-record-work';
import type { DatabaseOptions } from '../storage/connection/database';
import { OwnerSession } from '../storage/connection/owner-session';
import { readRowTables, readTableRows } from '../storage/schema/tenant-tables';
import { contentLines } from './exported-content';
import { DEFAULT_TIME_ZONE, TIME_ZONE, type StoredSettings } from './tenant-settings';
import { readLastSequence } from '../storage/read/feed';
import { readMovedEvents, readMovedSpaces, type MovedSpace } from '../storage/tenants/moved-subscriptions';
import { listReadySets, readMovedConcepts, type MovedSet } from '../storage/terminology/moved-concepts';
import { readVersionsUpTo } from '../storage/tenants/tenant-export';
import type { TenantRow, TenantStore } from '../storage/tenants/tenants';
import { keyText, type VersionRow } from '../storage/read/version-row';

export const EXPORT_FORMAT = 2;
export const ROWS = 'tenant';

/** The parts with versions, in their order. */
export const VERSION_PARTS: readonly {
  readonly part: ExportPart;
  readonly release: Release;
  readonly isAudit: boolean;
}[] = RELEASE_NAMES.flatMap((release) => [
  { part: release, release, isAudit: false },
  { part: `${release}-audit` as const, release, isAudit: true },
]);
/** All parts, in their order. */
export const EXPORT_PARTS: readonly ExportPart[] = [ROWS, ...VERSION_PARTS.map(({ part }) => part)];

type ByPart<Value> = Readonly<Partial<Record<string, Value>>>;

/** The first line of an export, before the rows and versions. */
export interface ExportHeader {
  readonly andironTenant: typeof EXPORT_FORMAT;
  readonly name: string;
  readonly display: string | null;
  readonly settings: StoredSettings;
  /** Policy definitions by name. */
  readonly policies: Readonly<Record<string, unknown>>;
  /** The last version-sequence of each part with versions. */
  readonly lastSequence: ByPart<number>;
}

/** The last line of an export: for each part the number of lines, and their SHA-256 with line feeds, in hex. */
export interface ExportEnd {
  readonly end: ByPart<{ readonly lines: number; readonly sha256: string }>;
}

export interface TenantExportOptions {
  readonly services: SearchServices & Pick<Services, 'contents'>;
  readonly owner: DatabaseOptions;
  readonly store: TenantStore;
  /** Converts the access records of these spaces to AuditEvents. Throws timeout where that takes too long. */
  settleRecords(spaces: readonly RecordedSpace[]): Promise<void>;
}

/**
 * A whole tenant as of the beginning of the call. First come clients and other rows; then all versions, with deletions,
 * part by part in the order of their sequences. With `current`: only the resources of that moment, as a read returns them.
 * `keepsSubscriptions`: all versions have the deliveries of Subscriptions beside them, with the secrets of their headers.
 * Undefined: there is no such tenant. Concurrent writes are allowed. Memory: one page, and the states of Subscriptions.
 */
export async function exportTenant(
  options: TenantExportOptions,
  name: string,
  { which, keepsSubscriptions }: { readonly which: 'all' | 'current'; readonly keepsSubscriptions: boolean },
): Promise<AsyncGenerator<ExportLine> | undefined> {
  const { services, store, owner } = options;
  const row = await store.find(name);
  if (row === undefined || row.status === 'importing' || row.status === 'deleting') return undefined;
  if (which === 'all') await options.settleRecords(recordedSpaces(row));
  const parts = VERSION_PARTS.flatMap(({ part, release, isAudit }) => {
    const space = (isAudit ? row.auditSpaces : row.spaces)[release];
    return space === undefined || (isAudit && which === 'current') ? [] : [{ part, release, isAudit, space }];
  });
  const dataSpaces = parts.filter(({ isAudit }) => !isAudit).map(({ space }) => space);
  const moved = keepsSubscriptions && which === 'all' ? await readMovedSpaces(owner, dataSpaces) : NONE_MOVED;
  const lasts = new Map<string, number>();
  for (const { part, space } of parts)
    lasts.set(part, moved.get(space)?.last ?? (await readLastSequence(services.database, space)));
  // A set that is replaced stays for some seconds: those that these versions name are there.
  const sets = new Map<number, readonly MovedSet[]>();
  if (which === 'all')
    for (const space of dataSpaces) sets.set(space, await listReadySets(services.database, space));
  const header: ExportHeader = {
    andironTenant: EXPORT_FORMAT,
    name,
    display: row.display,
    settings: Object.fromEntries(
      Object.entries(row.settings).sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
    policies: JSON.parse(row.policies) as ExportHeader['policies'],
    lastSequence: Object.fromEntries(lasts),
  };
  return lines(options, { tenant: row.number, header, parts, moved, sets, which });
}

const NONE_MOVED: ReadonlyMap<number, MovedSpace> = new Map();

/** The spaces that may have access records of the tenant. */
function recordedSpaces(row: TenantRow): RecordedSpace[] {
  return RELEASE_NAMES.flatMap((release) => {
    const [data, auditSpace] = [row.spaces[release], row.auditSpaces[release]];
    if (data === undefined || auditSpace === undefined) return [];
    const { name: tenant, number: tenantNumber } = row;
    const timeZone = row.settings[TIME_ZONE] ?? DEFAULT_TIME_ZONE;
    return [data, auditSpace].map((number) => ({
      space: { number, release, tenantNumber, tenant, timeZone },
      auditSpace,
    }));
  });
}

interface Part {
  readonly part: ExportPart;
  readonly release: Release;
  readonly isAudit: boolean;
  readonly space: number;
}

async function* lines(
  options: TenantExportOptions,
  {
    tenant,
    header,
    parts,
    moved,
    sets,
    which,
  }: {
    readonly tenant: number;
    readonly header: ExportHeader;
    readonly parts: readonly Part[];
    readonly moved: ReadonlyMap<number, MovedSpace>;
    readonly sets: ReadonlyMap<number, readonly MovedSet[]>;
    readonly which: 'all' | 'current';
  },
): AsyncGenerator<ExportLine> {
  const { services } = options;
  yield { kind: 'header', text: JSON.stringify(header) };
  const digests = new Map<string, { lines: number; readonly hash: Hash }>();
  const toLine = (part: ExportPart, text: string): ExportLine => {
    let digest = digests.get(part);
    if (digest === undefined) digests.set(part, (digest = { lines: 0, hash: createHash('sha256') }));
    digest.lines += 1;
    digest.hash.update(text).update('\n');
    return { kind: 'line', part, text };
  };
  if (which === 'all') for await (const text of rowLines(options, tenant)) yield toLine(ROWS, text);
  if (moved.size > 0) for await (const text of movedLines(options, parts, moved)) yield toLine(ROWS, text);
  for (const { release, space } of parts)
    for (const set of sets.get(space) ?? [])
      for await (const text of conceptLines(services, { tenant: header.name, release, space, set }))
        yield toLine(ROWS, text);
  for (const { part, release, isAudit, space } of parts) {
    const last = header.lastSequence[part] ?? 0;
    for await (const row of readVersionsUpTo(services.database, space, last, which)) {
      const version = await services.reader.complete(space, row);
      if (which === 'current') yield toLine(part, toResource(services, version));
      else {
        const name = nameOfVersion(services, release, version);
        for await (const text of contentLines(services, space, { release, name }, version))
          yield toLine(part, text);
        const unopened = unopenedTexts(services, release, version, row.unopened);
        yield toLine(part, toVersionLine(services, { release, isAudit, unopened }, version));
      }
    }
  }
  const end = [...digests].map(
    ([part, { lines: count, hash }]) => [part, { lines: count, sha256: hash.digest('hex') }] as const,
  );
  yield { kind: 'end', text: JSON.stringify({ end: Object.fromEntries(end) } satisfies ExportEnd) };
}

/** Clients, hashes of their secrets, issuers …: read by the owner role, because the role of requests may not read them. */
async function* rowLines({ owner }: TenantExportOptions, tenant: number): AsyncGenerator<string> {
  const session = await OwnerSession.open(owner);
  try {
    for (const table of await readRowTables(session))
      for await (const row of readTableRows(session, table, tenant))
        yield `{"table":${JSON.stringify(table)},"row":${oneLine(row)}}`;
  } finally {
    await session.close();
  }
}

/** The feed, the states and the events of each release, in this order, in which an import needs them. */
async function* movedLines(
  { owner }: TenantExportOptions,
  parts: readonly Part[],
  moved: ReadonlyMap<number, MovedSpace>,
): AsyncGenerator<string> {
  const session = await OwnerSession.open(owner);
  try {
    for (const { release, space } of parts) {
      const found = moved.get(space);
      if (found?.position === undefined) continue;
      yield JSON.stringify({ table: 'subscription_feed', row: { release, position: found.position } });
      const head = `"row":{"release":${JSON.stringify(release)},`;
      for (const { row } of found.states.values()) yield `{"table":"subscription",${head}${row.slice(1)}}`;
      for await (const event of readMovedEvents(session, found))
        yield JSON.stringify({ table: 'subscription_event', row: { release, ...event } });
    }
  } finally {
    await session.close();
  }
}

/**
 * A set of concepts, and each of them, in its order. Throws `tenantBusy` where an import of its code system has replaced it
 * meanwhile.
 */
async function* conceptLines(
  { database }: Pick<Services, 'database'>,
  {
    tenant,
    release,
    space,
    set,
  }: { readonly tenant: string; readonly release: Release; readonly space: number; readonly set: MovedSet },
): AsyncGenerator<string> {
  const { number, url, version } = set;
  yield JSON.stringify({ table: 'concept_set', row: { release, number, url, version } });
  const concepts = readMovedConcepts(database, { space, set: number });
  for (let next = await concepts.next(); ; next = await concepts.next()) {
    if (next.done === true) {
      if (next.value) return;
      throw fhirError('tenantBusy', {
        tenant,
        status: 'being given other concepts of a code system: export it again',
      });
    }
    const { folded, isAbstract, isInactive, parents, element } = next.value;
    const beside = JSON.stringify({
      folded,
      ...(isAbstract ? { abstract: true } : {}),
      ...(isInactive ? { inactive: true } : {}),
      ...(parents.length === 0 ? {} : { parents }),
    });
    yield `{"table":"concept","row":${beside.slice(0, -1)},"element":${oneLine(element)}}}`;
  }
}

/** The references of a version that open nothing, as `Type/id`: storage has the keys of their targets alone. */
function unopenedTexts(
  services: Pick<Services, 'definitions' | 'keys'>,
  release: Release,
  { body }: VersionRow,
  unopened: readonly string[],
): readonly string[] {
  if (unopened.length === 0) return [];
  const definitions = services.definitions(release);
  const texts = new Set<string>();
  visitReferenceTexts(parseStoredObject(body), (text) => {
    const target = parseReference(text);
    if (target.type === undefined || target.id === undefined) return;
    const name = `${definitions.typeNumber(target.type) ?? 0} ${keyText(services.keys.keyOf(target.type, target.id))}`;
    if (unopened.includes(name)) texts.add(`${target.type}/${target.id}`);
  });
  return [...texts];
}

/** The stored text unchanged, with the values of the columns beside it. */
function toVersionLine(
  services: Pick<Services, 'definitions' | 'keys'>,
  {
    release,
    isAudit,
    unopened,
  }: { readonly release: Release; readonly isAudit: boolean; readonly unopened: readonly string[] },
  row: VersionRow,
): string {
  const { version, sequence, lastUpdated, change, author, body } = row;
  const type = services.definitions(release).typeName(row.type);
  const id = row.id ?? services.keys.idOf(row.key);
  const beside = JSON.stringify({
    release,
    ...(isAudit ? { audit: true } : {}),
    type,
    id,
    version,
    sequence,
    lastUpdated: formatInstant(lastUpdated),
    change,
    ...(author === null ? {} : { author }),
    ...(unopened.length === 0 ? {} : { unopened }),
  });
  return change === 'delete' ? beside : `${beside.slice(0, -1)},"resource":${oneLine(body)}}`;
}

/** `Type/id/_history/version` */
function nameOfVersion(
  services: Pick<Services, 'definitions' | 'keys'>,
  release: Release,
  { type, id, key, version }: VersionRow,
): string {
  const name = services.definitions(release).typeName(type) ?? '';
  return `${name}/${id ?? services.keys.idOf(key)}/_history/${version}`;
}

function toResource(services: Pick<Services, 'extensionBase'>, row: VersionRow): string {
  const { version: versionId, lastUpdated, sequence, author, metaOffset, body } = row;
  const meta = { versionId, lastUpdated, sequence, author: author ?? ANONYMOUS };
  return oneLine(toFullText(body, metaOffset, meta, services.extensionBase));
}

/** Throws a SyntaxError where the value is not the header of an export. */
export function toHeader(value: unknown): ExportHeader {
  if (typeof value !== 'object' || value === null || !('andironTenant' in value))
    throw new SyntaxError('this is not the export of a tenant');
  if (value.andironTenant !== EXPORT_FORMAT)
    throw new SyntaxError(`this is an export of another format than ${EXPORT_FORMAT}`);
  const { name, display, settings, policies = {}, lastSequence } = value as Partial<ExportHeader>;
  if (typeof name !== 'string' || (display !== null && typeof display !== 'string'))
    throw new SyntaxError('the header of the export is not whole');
  const texts = Object.entries(settings ?? {}).filter(([, set]) => typeof set === 'string');
  const lasts = Object.entries(lastSequence ?? {}).filter(
    ([part, last]) => EXPORT_PARTS.some((each) => each === part) && Number.isSafeInteger(last),
  );
  return {
    andironTenant: EXPORT_FORMAT,
    name,
    display,
    settings: Object.fromEntries(texts),
    policies: requirePolicies(policies),
    lastSequence: Object.fromEntries(lasts),
  };
}

function requirePolicies(policies: unknown): ExportHeader['policies'] {
  try {
    parsePolicies(JSON.stringify(policies));
  } catch (error) {
    if (error instanceof FhirError) throw new SyntaxError('its policies are none', { cause: error });
    throw error;
  }
  return policies as ExportHeader['policies'];
}
