/** Permanent removal of resources: all versions, index rows and cached data. */
import { inSpaceOf } from '../authorization/audit-space';
import { conceptSetOf } from '../fhir/terminology/concept-set';
import { AUDIT_EVENT, CODE_SYSTEM, PATIENT, SEARCH_PARAMETER, SUBSCRIPTION } from '../fhir/type-names';
import type { RequestContext, Space } from '../context';
import { fhirError } from '../errors';
import { parseStoredObject } from '../fhir/json';
import type { CacheInvalidator } from '../cache/cache-invalidator';
import { SpaceComparer } from '../indexing/index-comparison';
import type { PurgeReport, PurgeRequest, PurgedTable } from '../operation-types/environment';
import { forgetSubscriptions } from '../storage/notifications/events';
import { compartmentOwners } from '../search/parameters/compartment';
import { containerTypeOf, parameterOfRow } from '../search/rows/index-rows';
import type { SearchServices } from '../ports';
import type { DatabaseOptions } from '../storage/connection/database';
import { repairResources, type RepairTarget } from '../storage/indexing/index-repair';
import {
  INDEX_TABLES,
  noRows,
  toResourceRows,
  type IndexTable,
  type ResourceRows,
} from '../storage/indexing/index-tables';
import { readOwnedTables } from '../storage/schema/owned-tables';
import { isDatabaseTrouble } from '../storage/connection/database-error';
import { OwnerSession } from '../storage/connection/owner-session';
import { removeContentsOfJobs } from '../storage/content/content-removal';
import { purgeJobs } from '../storage/jobs/job-work';
import {
  countLeft,
  countMentions,
  isRegistered,
  purgeAccessRecords,
  purgeResources,
  readLast,
  readLastTexts,
  readMentioning,
  readWindows,
  readRowsOf,
  readSpacesBeside,
  type FoundRow,
  type PurgedResource,
  type RemovedCounts,
} from '../storage/tenants/purge';
import { findConceptSet, removeConceptSet } from '../storage/terminology/concepts';
import { workWithoutLimits } from '../storage/tenants/tenant-removal';
import { keyOfText, keyText } from '../storage/read/version-row';
import { ID } from '../fhir/resource';

export interface PurgeOptions {
  readonly services: SearchServices;
  readonly database: DatabaseOptions;
  readonly cacheInvalidator: CacheInvalidator;
  /** Deletes the objects of removed content of these spaces; returns the number that is left. */
  removeObjects(session: OwnerSession, spaces: readonly number[]): Promise<number>;
  /** True if clients without credentials may purge in open mode. */
  readonly isOpen: boolean;
}

/** Resources in one transaction. */
const AT_ONCE = 64;
/** Texts that one statement reads. */
const TEXTS_AT_ONCE = 200;
/** Keys of one statement. */
const KEYS_AT_ONCE = 5_000;
/** Rounds of a compartment: each finds the resources that concurrent writes have created. */
const MAX_ROUNDS = 10;
const MAX_RESOURCES = 500_000;
const MAX_REPORTED = 100;
/** Purged resources whose names are searched for in jobs and access records. */
const MAX_NAMES = 1_000;
/** `Type/id` in a text. */
const NAMES = new RegExp(`[A-Z][A-Za-z]+/${ID}`, 'g');
const MAX_ROWS_OF_RESOURCE = 10_000_000;

type RetainedResource = PurgeReport['remaining'][number];

/**
 * Purges one resource, or all resources in the compartment of one patient only. The current version decides whether a
 * resource is in the compartment; for a deleted resource, the last version before. Resources that were in it by an earlier
 * version only, or are in another patient's too, are not purged, and the report lists them. A purge may be interrupted and
 * repeated. Concurrent writes are allowed; further rounds find the resources that they create.
 *
 * Throws forbidden, notSupported, purgeUnfinished at the deadline. Cost: for a compartment, a read of all versions of the
 * space; for the proof, an index scan of each table of the space, and its texts.
 */
export async function purge(
  options: PurgeOptions,
  context: RequestContext,
  request: PurgeRequest,
): Promise<PurgeReport> {
  requireAdministrator(context, options.isOpen);
  if (request.isCompartment && request.type !== PATIENT)
    throw fhirError('notSupported', { reason: `Only the compartment of a ${PATIENT} can be purged` });
  const session = await OwnerSession.openFor(context.space.number, options.database);
  try {
    await workWithoutLimits(session);
    return await new Purge(options, session, context, request).run();
  } catch (error) {
    // A purge has many transactions, and some of them may be committed.
    throw isDatabaseTrouble(error) ? fhirError('workInterrupted') : error;
  } finally {
    await session.close();
  }
}

class Purge {
  /** Purged resources, by `type key`. */
  private readonly purged = new Map<string, PurgedResource & { readonly id: string }>();
  private readonly remaining = new Map<string, RetainedResource>();
  private readonly removed = new Map<string, number>();
  /** AuditEvents that were purged. */
  private readonly events: PurgedResource[] = [];
  private readonly extract: (type: string, body: string) => ResourceRows;

  constructor(
    private readonly options: PurgeOptions,
    private readonly session: OwnerSession,
    private readonly context: RequestContext,
    private readonly request: PurgeRequest,
  ) {
    const extract = options.services.createExtractor(context.space, MAX_ROWS_OF_RESOURCE);
    this.extract = (type, body) => toResourceRows(extract(type, parseStoredObject(body)));
  }

  async run(): Promise<PurgeReport> {
    const { options, session, request } = this;
    const { space } = this.context;
    const { type, id } = request;
    if (type === SEARCH_PARAMETER && (await isRegistered(session, space.number, id)))
      throw fhirError('notSupported', {
        reason: `${type}/${id} is searched by: delete it first, and purge it when $reindex-status does not tell of it any more`,
      });
    await this.purgeConcepts();
    const isSettled = await this.purgeAll();
    await this.purgeLeftRows(space);
    const spaces = await readSpacesBeside(session, space.number);
    const names = [
      this.nameOf(request),
      ...[...this.purged.values()].map((one) => this.nameOf(this.named(one))),
    ];
    const texts = [...new Set(names)].slice(0, MAX_NAMES);
    this.count('job_content', await purgeJobs(session, spaces, texts));
    // Each transaction has given them up.
    this.count('content', await removeContentsOfJobs(session, spaces));
    await this.purgeAudit(spaces, names);
    const invalidated = await options.cacheInvalidator.invalidate(spaces);
    const tables = await this.proof(spaces);
    const types = new Map<string, number>();
    for (const one of this.purged.values()) {
      const name = this.typeNameOf(one.type);
      types.set(name, (types.get(name) ?? 0) + 1);
    }
    return {
      ...invalidated,
      isComplete: isSettled && tables.every(({ left }) => left === 0),
      types: [...types].sort(([one], [other]) => (one < other ? -1 : 1)),
      tables,
      remaining: [...this.remaining.values()].sort(byAddress).slice(0, MAX_REPORTED),
      remainingCount: this.remaining.size,
    };
  }

  /** Removes the concepts that a CodeSystem has in tables. They go before its versions, which name them, so that a repeated purge finds them. */
  private async purgeConcepts(): Promise<void> {
    const { session, request } = this;
    if (request.type !== CODE_SYSTEM) return;
    const { connections } = this.options.services;
    const space = this.context.space.number;
    const [last] = await readLastTexts(session, space, [this.placeOf(request)]);
    const codeSystem = last === undefined ? {} : parseStoredObject(last.body);
    const number = conceptSetOf(codeSystem);
    const set = number === undefined ? undefined : await findConceptSet(connections, space, number);
    // Another code system may have the number by a copy of the resource.
    if (set === undefined || set.url !== codeSystem['url'] || set.version !== codeSystem['version']) return;
    this.count('concept', await removeConceptSet(connections, { space, set: set.number }));
    this.count('concept_set', 1);
  }

  /** Purges the access records of the resources. The record of the purge itself is written later, and stays. */
  private async purgeAudit(spaces: readonly number[], names: readonly string[]): Promise<void> {
    const { session } = this;
    const { space } = inSpaceOf(this.context, AUDIT_EVENT);
    if (space === this.context.space) return;
    const texts = [...new Set(names)].slice(0, MAX_NAMES);
    this.count('access_record', await purgeAccessRecords(session, spaces, texts));
    const requested = new Set(texts);
    const extract = this.options.services.createExtractor(space, MAX_ROWS_OF_RESOURCE);
    const last = await readLast(session, space.number);
    for await (const window of readWindows(session, space.number, { after: 0, to: last })) {
      this.requireTime();
      const bounds = { ...window, texts };
      const found = await readMentioning(session, space.number, bounds);
      for (let start = 0; start < found.length; start += AT_ONCE) {
        const some = await readLastTexts(session, space.number, found.slice(start, start + AT_ONCE));
        const events = some.filter(({ body }) =>
          (body.match(NAMES) ?? []).some((name) => requested.has(name)),
        );
        const counts = await purgeResources(session, space.number, events, (_type, body) =>
          toResourceRows(extract(AUDIT_EVENT, parseStoredObject(body))),
        );
        for (const [table, count] of Object.entries(counts)) this.count(table, count);
        this.events.push(...events.map(({ type, key }) => ({ type, key })));
      }
    }
  }

  private nameOf({ type, id }: { readonly type: string; readonly id: string }): string {
    return `${type}/${id}`;
  }

  private named({ type, id }: PurgedResource & { readonly id: string }): { type: string; id: string } {
    return { type: this.typeNameOf(type), id };
  }

  private typeNameOf(number: number): string {
    return this.options.services.definitions(this.context.space.release).typeName(number) ?? String(number);
  }

  /** False: concurrent writes created members in every round. */
  private async purgeAll(): Promise<boolean> {
    const { session, request } = this;
    const space = this.context.space.number;
    await this.purgeThese([this.placeOf(request)]);
    if (!request.isCompartment) return true;
    let scanned = 0;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const last = await readLast(session, space);
      if (last <= scanned) return true;
      const found = await this.findMembers(scanned, last);
      scanned = last;
      if (found.length > 0) await this.purgeThese(found);
      // No reference is missed: a version written before the scan has a sequence up to `last`.
      else if (round > 0) return true;
    }
    return false;
  }

  private placeOf({ type, id }: PurgeRequest): PurgedResource & { readonly id: string } {
    const { services } = this.options;
    const number = services.definitions(this.context.space.release).typeNumber(type);
    if (number === undefined) throw fhirError('unknownType', { type, release: this.context.space.release });
    return { type: number, key: keyText(services.keys.keyOf(type, id)), id };
  }

  private async purgeThese(found: readonly (PurgedResource & { readonly id: string })[]): Promise<void> {
    const ordered = [...found].sort(
      (one, other) => one.type - other.type || (BigInt(one.key) < BigInt(other.key) ? -1 : 1),
    );
    for (let start = 0; start < ordered.length; start += AT_ONCE) {
      this.requireTime();
      const some = ordered.slice(start, start + AT_ONCE);
      const counts = await this.purgeSome(some);
      for (const [table, count] of Object.entries(counts)) this.count(table, count);
      if (counts.resource_version === 0 && counts.resource === 0) continue;
      for (const one of some) this.purged.set(`${one.type} ${one.key}`, one);
    }
  }

  private async purgeSome(some: readonly PurgedResource[]): Promise<RemovedCounts> {
    const { session } = this;
    const space = this.context.space.number;
    const counts = await purgeResources(session, space, some, (type, body) =>
      this.extract(this.typeNameOf(type), body),
    );
    const keys = some.flatMap(({ type, key }) => (this.typeNameOf(type) === SUBSCRIPTION ? [key] : []));
    if (keys.length === 0) return counts;
    const forgotten = await forgetSubscriptions((...of) => session.run(...of), space, keys);
    return { ...counts, ...forgotten };
  }

  private count(table: string, rows: number): void {
    this.removed.set(table, (this.removed.get(table) ?? 0) + rows);
  }

  private requireTime(): void {
    if (Date.now() <= this.context.deadline) return;
    throw fhirError('purgeUnfinished');
  }

  /** Members of the compartment among the resources with a version sequence above `after` and up to `to`. */
  private async findMembers(
    after: number,
    to: number,
  ): Promise<readonly (PurgedResource & { readonly id: string })[]> {
    const { session, request } = this;
    const space = this.context.space.number;
    const text = this.nameOf(request);
    const candidates = new Map<string, PurgedResource>();
    for await (const window of readWindows(session, space, { after, to })) {
      this.requireTime();
      const bounds = { ...window, texts: [text] };
      for (const { type, key } of await readMentioning(session, space, bounds))
        candidates.set(`${type} ${key}`, { type, key });
      if (candidates.size > MAX_RESOURCES)
        throw fhirError('tooCostly', { reason: `More than ${MAX_RESOURCES} resources mention ${text}` });
    }
    const places = [...candidates.values()];
    const members: (PurgedResource & { readonly id: string })[] = [];
    for (let start = 0; start < places.length; start += TEXTS_AT_ONCE) {
      this.requireTime();
      const some = places.slice(start, start + TEXTS_AT_ONCE);
      for (const { type, key, id, body } of await readLastTexts(session, space, some)) {
        const idText = id ?? this.options.services.keys.idOf(keyOfText(key));
        const member = { type, key, id: idText };
        if (this.isMember(member, body)) members.push(member);
      }
    }
    return members;
  }

  private isMember(one: PurgedResource & { readonly id: string }, body: string): boolean {
    const { services } = this.options;
    const { space } = this.context;
    const { id } = this.request;
    const content = parseStoredObject(body);
    const named = this.named(one);
    const definitions = services.definitions(space.release);
    const member = { type: named.type, id: named.id, resource: content };
    const owners = compartmentOwners(definitions, PATIENT, member, services.references(space));
    if (owners.has(id) && owners.size === 1) return true;
    const isEverMember = definitions.compartments.get(PATIENT)?.parameters.has(named.type) === true;
    const reason = owners.has(id) ? 'shared' : isEverMember ? 'elsewhere' : 'mentions';
    this.remaining.set(`${one.type} ${one.key}`, { ...named, reason });
    return false;
  }

  /** Removes index rows that other indexing rules have made. A resource that was created again keeps its rows. */
  private async purgeLeftRows(space: Space): Promise<void> {
    const left = await this.leftRows();
    if (left.length === 0) return;
    const { services } = this.options;
    const comparer = new SpaceComparer(services, this.session, space, 'repair');
    for (const { type, key, stored } of left) {
      let targets: readonly RepairTarget[] = [{ type, key, stored, seen: undefined }];
      while (targets.length > 0) {
        const counts = await repairResources(this.session, space.number, targets, (target, version) =>
          comparer.recompute(comparer.typeNameOf(target.type), version),
        );
        targets = counts.left;
      }
    }
    const before = countRowsOf(left);
    const after = countRowsOf(await this.leftRows());
    for (const table of INDEX_TABLES) this.count(table, before[table] - after[table]);
  }

  /** Remaining index rows of purged resources. */
  private async leftRows(): Promise<readonly { type: number; key: string; stored: ResourceRows }[]> {
    const places = [...this.purged.values()];
    const left = new Map<string, { type: number; key: string; stored: ReturnType<typeof noRows> }>();
    for (let start = 0; start < places.length; start += KEYS_AT_ONCE) {
      const keys = places.slice(start, start + KEYS_AT_ONCE).map(({ key }) => key);
      for (const found of await readRowsOf(this.session, this.context.space.number, keys)) {
        const type = this.typeOfRow(found);
        // Resources of different types may have the same key.
        if (type === undefined || !this.purged.has(`${type} ${found.key}`)) continue;
        const name = `${type} ${found.key}`;
        const entry = left.get(name) ?? { type, key: found.key, stored: noRows() };
        entry.stored[found.table].push(found.row);
        left.set(name, entry);
      }
    }
    return [...left.values()];
  }

  private typeOfRow({ row: [parameter] }: FoundRow): number | undefined {
    const { space } = this.context;
    const definitions = this.options.services.definitionsOf(space);
    const own = parameterOfRow(parameter) ?? 0;
    const parameterOfNumber =
      definitions.searchParameter(own) ?? space.searchParameters?.list.find(({ number }) => number === own);
    return (
      containerTypeOf(parameter) ?? (parameterOfNumber && definitions.typeNumber(parameterOfNumber.type))
    );
  }

  /** For every table with tenant data: the remaining rows of purged resources, and the rows that mention the resource. */
  private async proof(spaces: readonly number[]): Promise<readonly PurgedTable[]> {
    const { session, request } = this;
    const left = new Map<string, number>();
    const places = [...this.purged.values()];
    for (let start = 0; start < places.length; start += KEYS_AT_ONCE) {
      const some = places.slice(start, start + KEYS_AT_ONCE);
      const counts = await countLeft(session, this.context.space.number, some);
      for (const table of ['resource', 'resource_version', 'content'] as const)
        left.set(table, (left.get(table) ?? 0) + counts[table]);
    }
    for (const [table, rows] of Object.entries(countRowsOf(await this.leftRows()))) left.set(table, rows);
    const { space } = inSpaceOf(this.context, AUDIT_EVENT);
    for (let start = 0; start < this.events.length; start += KEYS_AT_ONCE) {
      const some = this.events.slice(start, start + KEYS_AT_ONCE);
      const counts = await countLeft(session, space.number, some);
      for (const table of ['resource', 'resource_version'] as const)
        left.set(table, (left.get(table) ?? 0) + counts[table]);
      for (const { table } of await readRowsOf(
        session,
        space.number,
        some.map(({ key }) => key),
      ))
        left.set(table, (left.get(table) ?? 0) + 1);
    }
    // Objects of a folder or bucket that could not be deleted count as rows that are left.
    const objects = await this.options.removeObjects(session, spaces);
    left.set('content', (left.get('content') ?? 0) + objects);
    const tables: PurgedTable[] = [];
    for (const table of await readOwnedTables(session)) {
      tables.push({
        table: table.name,
        removed: this.removed.get(table.name) ?? 0,
        left: left.get(table.name) ?? 0,
        mentions: await countMentions(session, table, spaces, this.nameOf(request)),
      });
    }
    return tables;
  }
}

function byAddress(one: RetainedResource, other: RetainedResource): number {
  const [first, second] = [`${one.type}/${one.id}`, `${other.type}/${other.id}`];
  return first < second ? -1 : Number(first > second);
}

/** Throws `forbidden` for other callers. `isOpen`: clients without credentials may purge too. */
function requireAdministrator({ access }: RequestContext, isOpen: boolean): void {
  if (access === undefined ? isOpen : access.isAdministrator) return;
  const reason =
    access === undefined
      ? 'Only an administrator may purge resources: send the credentials of one, or have the server started with PURGE_OPEN=on'
      : 'Only an administrator may purge resources';
  throw fhirError('forbidden', { reason });
}

function countRowsOf(left: readonly { readonly stored: ResourceRows }[]): Record<IndexTable, number> {
  const counts = { token_index: 0, reference_index: 0, range_index: 0, string_index: 0, uri_index: 0 };
  for (const { stored } of left) for (const table of INDEX_TABLES) counts[table] += stored[table].length;
  return counts;
}
