/** Creation of a tenant from the output of `tenant-export.ts` (docs/run/tenants.md, "Export and import"). */
import { createHash, type Hash } from 'node:crypto';
import type { TenantImport, ExportPart } from '../api/tenant';
import { turns } from '../concurrency/turns';
import { fhirError, FhirError } from '../errors';
import { isJsonObject, parseJson, stringifyJson, type JsonObject } from '../fhir/json';
import { isRelease, RELEASE_NAMES, type Release } from '../fhir/release';
import { isShownName } from '../limits/shown-name';
import { SUBSCRIPTION } from '../fhir/type-names';
import { reindex, type ReindexOptions } from '../indexing/reindex';
import { earlierContentOf, ImportedContents, type ImportedContent } from './imported-content';
import { ImportedConcepts } from './imported-concepts';
import { ImportedSubscriptions } from './imported-subscriptions';
import { ImportedVersions, nameOf, type VersionTarget } from './imported-version';
import type { Spaces } from './spaces';
import { isDatabaseTrouble } from '../storage/connection/database-error';
import { OwnerSession } from '../storage/connection/owner-session';
import { readLast } from '../storage/tenants/purge';
import { registerSearchParameters } from '../storage/indexing/search-parameters';
import {
  addVersions,
  endImport,
  hasContent,
  readSequenceLimit,
  type ImportedVersion,
} from '../storage/tenants/tenant-import';
import type { Services } from '../ports';
import { lockTenant, workWithoutLimits } from '../storage/tenants/tenant-removal';
import { addTableRow, removeTableRows } from '../storage/schema/tenant-tables';
import type { TenantRow, TenantStore } from '../storage/tenants/tenants';
import { keyText } from '../storage/read/version-row';
import { EXPORT_PARTS, ROWS, toHeader, VERSION_PARTS, type ExportHeader } from './tenant-export';
import { requireFirstSettings } from './tenant-settings';

export interface TenantImportOptions extends ReindexOptions {
  readonly services: ReindexOptions['services'] & Pick<Services, 'contents'>;
  readonly store: TenantStore;
  readonly spaces: Spaces;
}

/** Limits of one transaction. */
const MAX_VERSIONS = 500;
const MAX_CHARACTERS = 4 * 1024 * 1024;

/**
 * Creates the tenant `name` from the lines of an export, with the same ids, versions, times, sequences, authors and
 * deletions. The tenant is not served until all data and its index are complete. After an interruption, the same call
 * resumes the import. Subscriptions that request notifications are stored as `off`; `keepsSubscriptions`: those with a state
 * in the export continue.
 *
 * Throws invalidTenantName, tenantExists, tenantBusy, invalidValue (with the line number, from 1); Error where a version
 * is missing. Cost: a write of all versions, some hundred in a transaction, then a reindex.
 */
export async function importTenant(
  options: TenantImportOptions,
  name: string,
  {
    lines,
    keepsSubscriptions,
  }: { readonly lines: AsyncIterable<string>; readonly keepsSubscriptions: boolean },
): Promise<TenantImport> {
  const reader = lines[Symbol.asyncIterator]();
  const first = await reader.next();
  const header = first.done === true ? refuse(1, 'there is nothing in it') : readHeader(first.value);
  requireFirstSettings(header.settings);
  await requireFitting(options.database, header);
  const row = await open(options, name, header);
  const session = await OwnerSession.open(options.database);
  try {
    await workWithoutLimits(session);
    if (!(await lockTenant(session, row.number)))
      throw fhirError('tenantBusy', { tenant: name, status: 'being imported by another process' });
    // The previous holder of the lock may have completed the import, or removed the tenant.
    const found = await options.store.find(name);
    if (found?.number !== row.number || found.status !== 'importing')
      throw fhirError('tenantBusy', { tenant: name, status: 'changed by another process' });
    const work = new Import(options, session, row, { header, keepsSubscriptions });
    const versions = await work.addAll(reader).finally(() => work.contents.close());
    await work.registerParameters();
    const resources = await work.makeIndex(name);
    await work.end();
    options.spaces.changed(name);
    const { subscriptionsOff, subscriptionsKept } = work;
    return { name, versions, resources, subscriptionsOff, subscriptionsKept };
  } catch (error) {
    throw isDatabaseTrouble(error) ? fhirError('workInterrupted') : error;
  } finally {
    await session.close();
  }
}

function refuse(line: number, reason: string): never {
  throw fhirError('invalidValue', { reason: `Line ${line} of the export: ${reason}` });
}

function readHeader(text: string): ExportHeader {
  try {
    return toHeader(JSON.parse(text));
  } catch (error) {
    return refuse(1, error instanceof SyntaxError ? error.message : 'it cannot be read');
  }
}

/** Throws `sequenceExhausted` if the database cannot store the sequences of the export. */
async function requireFitting(
  database: ReindexOptions['database'],
  { lastSequence }: ExportHeader,
): Promise<void> {
  const last = Math.max(0, ...EXPORT_PARTS.map((part) => lastSequence[part] ?? 0));
  if (last < 2 ** 31) return;
  const limit = await OwnerSession.inTransaction(database, readSequenceLimit);
  if (last > limit) throw fhirError('sequenceExhausted');
}

/** The new tenant, or that of an interrupted import. */
async function open(
  { store, spaces }: TenantImportOptions,
  name: string,
  { settings, display }: ExportHeader,
): Promise<TenantRow> {
  spaces.requireName(name);
  // An export of an earlier version may have any; the tenant is then shown by its name.
  const shown = display !== null && isShownName(display) ? display : null;
  await store.create(name, RELEASE_NAMES, { settings, display: shown, status: 'importing' });
  const row = await store.find(name);
  if (row?.status !== 'importing') throw fhirError('tenantExists', { tenant: name });
  return row;
}

class Import {
  /** For each part: the number of lines, and their digest. */
  private readonly seen = new Map<ExportPart, { lines: number; readonly hash: Hash }>();
  private line = 1;
  private readonly header: ExportHeader;
  private readonly subscriptions: ImportedSubscriptions;
  readonly contents: ImportedContents;
  private readonly concepts: ImportedConcepts;
  private readonly versions: ImportedVersions;

  constructor(
    private readonly options: TenantImportOptions,
    private readonly session: OwnerSession,
    private readonly row: TenantRow,
    { header, keepsSubscriptions }: { readonly header: ExportHeader; readonly keepsSubscriptions: boolean },
  ) {
    this.header = header;
    const { keys, contents, extensionBase } = options.services;
    this.contents = new ImportedContents(contents, extensionBase);
    const spaces = new Map(RELEASE_NAMES.map((release) => [release, this.spaceOf(release, false)]));
    this.concepts = new ImportedConcepts({ session, services: options.services, spaces });
    this.subscriptions = new ImportedSubscriptions({
      ...{ session, spaces },
      isKept: keepsSubscriptions,
      lastOf: (release) => header.lastSequence[release] ?? 0,
      keyOf: (id) => keyText(keys.keyOf(SUBSCRIPTION, id)),
    });
    this.versions = new ImportedVersions({
      ...{ services: options.services, header, subscriptions: this.subscriptions, contents: this.contents },
    });
  }

  get subscriptionsKept(): number {
    return this.subscriptions.running;
  }

  get subscriptionsOff(): number {
    return this.versions.subscriptionsOff;
  }

  /** Imports all lines; returns the number of versions, of resources and AuditEvents. */
  async addAll(reader: AsyncIterator<string>): Promise<number> {
    let batch: (ImportedVersion & { readonly content?: ImportedContent | undefined })[] = [];
    let characters = 0;
    let ofBatch: VersionTarget | undefined;
    let done = 0;
    const flush = async (): Promise<void> => {
      if (ofBatch !== undefined) await addVersions(this.session, ofBatch.space, batch);
      for (const { content } of batch) content?.claimed();
      batch = [];
      characters = 0;
    };
    const present = new Map<ExportPart, number>();
    await removeTableRows(this.session, this.row.number);
    await this.subscriptions.begin();
    await this.concepts.begin();
    for (let next = await reader.next(); next.done !== true; next = await reader.next()) {
      this.line += 1;
      await turns.take();
      const members = this.parse(next.value);
      const { end, table } = members;
      if (table !== 'concept') await this.endConcepts();
      if (isJsonObject(end)) {
        await flush();
        this.requireWhole(end);
        return done;
      }
      if (table !== undefined) {
        this.note(ROWS, next.value);
        await this.addRow(members);
        continue;
      }
      if (!(await this.subscriptions.endRows()))
        refuse(this.line - 1, 'it is not an event of a Subscription');
      const place = this.placeOf(members);
      this.note(place.part, next.value);
      let last = present.get(place.part);
      if (last === undefined) present.set(place.part, (last = await readLast(this.session, place.space)));
      if (members['content'] !== undefined) {
        // After an interruption its version may be here already.
        const fault =
          Number(members['sequence']) <= last ? undefined : await this.contents.add(place.space, members);
        if (fault !== undefined) refuse(this.line, fault);
        continue;
      }
      const refuseLine = (reason: string): never => refuse(this.line, reason);
      const content = await this.contents.take(nameOf(members), refuseLine);
      const isPresent = Number(members['sequence']) <= last;
      const version = this.versions.toVersion(place, members, { content, isPresent, refuse: refuseLine });
      done += 1;
      if (place.part !== ofBatch?.part || batch.length >= MAX_VERSIONS || characters > MAX_CHARACTERS)
        await flush();
      ofBatch = place;
      if (isPresent) continue;
      const earlier = earlierContentOf(members['resource']);
      if (earlier !== undefined) {
        await flush();
        const { type, key } = version;
        if (!(await hasContent(this.session, place.space, { type, key, ...earlier })))
          refuse(this.line, 'its content is missing');
      }
      batch.push({ ...version, content });
      characters += version.body?.length ?? 0;
    }
    await flush();
    return refuse(this.line, 'the export ends too early');
  }

  /** Imports a row that is not a version, such as a client. */
  private async addRow({ table, row }: JsonObject): Promise<void> {
    if (typeof table !== 'string' || !isJsonObject(row)) refuse(this.line, 'it names no table or has no row');
    if (ImportedConcepts.isTable(table)) {
      const fault = await this.concepts.add(table, row);
      if (fault !== undefined) refuse(this.line, fault);
      return;
    }
    if (ImportedSubscriptions.isTable(table)) {
      if (!(await this.subscriptions.add(table, row))) refuse(this.line, 'it is not a row of a Subscription');
      return;
    }
    const isTaken = await addTableRow(this.session, this.row.number, {
      table,
      names: Object.keys(row),
      row: stringifyJson(row, false),
    }).catch((error: unknown) => {
      if (isDatabaseTrouble(error)) throw error;
      return false;
    });
    if (!isTaken) refuse(this.line, 'it is not a row that a tenant may have');
  }

  /** Stores the set of concepts whose lines have ended. */
  private async endConcepts(): Promise<void> {
    const fault = await this.concepts.end();
    if (fault !== undefined) refuse(this.line - 1, fault);
  }

  private placeOf({ release, audit }: JsonObject): VersionTarget {
    if (typeof release !== 'string' || !isRelease(release)) refuse(this.line, 'it names no release');
    const isAudit = audit === true;
    return { part: isAudit ? `${release}-audit` : release, release, space: this.spaceOf(release, isAudit) };
  }

  private parse(text: string): JsonObject {
    try {
      const { value } = parseJson(text, { maxDepth: 1_000 });
      if (isJsonObject(value)) return value;
    } catch (error) {
      if (!(error instanceof FhirError)) throw error;
    }
    return refuse(this.line, 'it is not a JSON object');
  }

  private note(part: ExportPart, text: string): void {
    let seen = this.seen.get(part);
    if (seen === undefined) this.seen.set(part, (seen = { lines: 0, hash: createHash('sha256') }));
    seen.lines += 1;
    seen.hash.update(text).update('\n');
  }

  private spaceOf(release: Release, isAudit: boolean): number {
    const space = (isAudit ? this.row.auditSpaces : this.row.spaces)[release];
    if (space === undefined) throw new Error('a tenant has no space of a release');
    return space;
  }

  private requireWhole(end: JsonObject): void {
    for (const part of EXPORT_PARTS) {
      const stated = end[part];
      const seen = this.seen.get(part);
      const lines = isJsonObject(stated) ? stated['lines'] : 0;
      const digest = (seen?.hash ?? createHash('sha256')).digest('hex');
      const isSame =
        lines === (seen?.lines ?? 0) &&
        (lines === 0 || (isJsonObject(stated) && stated['sha256'] === digest));
      if (!isSame)
        refuse(
          this.line,
          `its number of lines or digest of ${part} differs from the lines before: the export is damaged`,
        );
    }
  }

  /** Registers search parameters as a write does; they are indexed in the background. */
  async registerParameters(): Promise<void> {
    const { database } = this.options.services;
    for (const [release, parameters] of this.versions.parameters)
      for (const [owner, pairs] of parameters.all)
        await registerSearchParameters(database, this.spaceOf(release, false), { owner, pairs });
  }

  /** Builds the index; returns the number of resources, deleted ones included. */
  async makeIndex(name: string): Promise<number> {
    const compared = new Map<Release, number>();
    for await (const { release, compared: count, losses } of reindex(this.options, { tenant: name })) {
      const [loss] = losses;
      if (loss !== undefined)
        throw new Error(`The export lacks versions of ${loss.type}/${loss.id}: the tenant is not complete`);
      compared.set(release, Math.max(count, compared.get(release) ?? 0));
    }
    return [...compared.values()].reduce((sum, count) => sum + count, 0);
  }

  async end(): Promise<void> {
    const spaces = VERSION_PARTS.map(({ part, release, isAudit }) => ({
      space: this.spaceOf(release, isAudit),
      last: this.header.lastSequence[part] ?? 0,
    }));
    await this.subscriptions.end();
    await endImport(this.session, this.row.number, spaces, JSON.stringify(this.header.policies));
  }
}
