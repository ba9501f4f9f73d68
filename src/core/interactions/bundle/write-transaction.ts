import { requireAllowed, unopenedOf, type NextContent } from '../../authorization/write-guard';
import type { EntryAnswer } from '../../api/bundle';
import type { WriteResult } from '../../api/version';
import type { StoredVersion } from '../../storage/read/stored-version';
import type { RequestContext } from '../../context';
import type { EntryVersion, OpenBundle, PreparedEntry, PreparedVersions } from '../../preparation/bundle';
import type { SearchServices, Services, WriteServices } from '../../ports';
import { claimResources } from '../../storage/write/claim';
import type { VersionRow } from '../../storage/read/version-row';
import type { UnopenedReference, WriteStamp } from '../../storage/write/version-write';
import { toOutcomes, wholeWrite, writeEncoded } from '../../storage/write/write-statements';
import type { BoundStatement } from '../../storage/connection/connection';
import type { Row, Run } from '../../storage/connection/database';
import { isLostRequirement } from '../../storage/connection/database-error';
import { noteUnopened } from '../../storage/write/unopened-references';
import { planTransactionAspects, type TransactionAspects } from '../write-aspects';
import { authorOf, toStoredVersion } from '../../versions/stored-version';
import { atEntry } from '../../preparation/entry-refusal';
import { nextVersion, type PlannedWrite } from './planned-write';
import { RaceLost } from './race-lost';

/** Writes of a transaction, and what the references of their resources resolve to. */
interface WritesToPrepare {
  readonly writes: readonly PlannedWrite[];
  /** In the order of `writes`. */
  readonly heads: readonly (VersionRow | undefined)[];
  /** References of the entries' resources, by entry index. */
  readonly targets: ReadonlyMap<number, string>;
  /** Versions of these resources after the transaction, by entry index. */
  readonly versionIds: ReadonlyMap<number, number>;
  /** References by criteria, and the references that replace them. */
  readonly conditional: readonly (readonly [text: string, reference: string])[];
}

/** Writes that were prepared against the current versions. */
export interface PreparedWrites {
  readonly writes: readonly PlannedWrite[];
  /** In the order of `writes`; undefined: there is nothing to delete. */
  readonly versions: readonly (EntryVersion | undefined)[];
  /** The replaced versions, in the order of `writes`. */
  readonly heads: readonly (VersionRow | undefined)[];
  readonly prepared: PreparedVersions;
  /** What the versions do beside being stored. */
  readonly aspects: TransactionAspects;
  /** References of the versions that open nothing to apps of patients, by the member of their write. */
  readonly unopened: ReadonlyMap<number, readonly UnopenedReference[]>;
}

/** Prepares writes against the current versions. Throws the errors of the entries. */
export async function prepareWrites(
  services: WriteServices,
  context: RequestContext,
  bundle: OpenBundle,
  { writes, heads, targets, versionIds, conditional }: WritesToPrepare,
): Promise<PreparedWrites> {
  const versions: (EntryVersion | undefined)[] = [];
  for (const [place, write] of writes.entries())
    versions.push(await nextVersion(services, context, write, heads[place]));
  const prepared = await bundle.prepare({
    space: context.space,
    versions: versions.filter((version) => version !== undefined),
    targets,
    versionIds,
    conditional,
    author: authorOf(context),
  });
  const unopened = await requireAllWritable(services, context, versions, prepared);
  const entries = new Map(prepared.entries.map((entry) => [entry.member, entry]));
  const changed = versions.flatMap((version) =>
    version === undefined ? [] : [{ version, entry: entries.get(version.member) }],
  );
  return {
    writes,
    versions,
    heads,
    prepared,
    aspects: await planTransactionAspects(services, context, changed),
    unopened,
  };
}

/** Throws `forbidden` at the first entry whose content is not within the caller's grants. Returns `PreparedWrites.unopened`. */
async function requireAllWritable(
  services: SearchServices,
  context: RequestContext,
  versions: readonly (EntryVersion | undefined)[],
  { entries }: PreparedVersions,
): Promise<PreparedWrites['unopened']> {
  const unopened = new Map<number, readonly UnopenedReference[]>();
  const contents: (readonly [member: number, content: NextContent])[] = [];
  if (context.access === undefined) return unopened;
  const byMember = new Map(
    versions.flatMap((version) => (version === undefined ? [] : [[version.member, version]])),
  );
  const written = new Set([...byMember.values()].map(({ type, id }) => `${type}/${id}`));
  for (const { member, index, text } of entries) {
    const version = byMember.get(member);
    if (version === undefined) throw new Error('an entry was prepared that was not requested');
    const { type, key, replaced } = version;
    const right = replaced === undefined ? 'c' : 'u';
    try {
      const content = { type, key, text, before: replaced, written };
      await requireAllowed(services, context, right, content);
      contents.push([member, content]);
    } catch (error) {
      throw atEntry(error, index, type);
    }
  }
  const found = await unopenedOf(
    services,
    context,
    contents.map(([, content]) => content),
  );
  for (const [place, [member]] of contents.entries()) unopened.set(member, found[place] ?? []);
  return unopened;
}

/**
 * Claims the heads of all writes with known ids, in the common lock order and before the first
 * statement that locks the tenant's counter. So no deadlock can occur between transactions. Waiting in the queues of a
 * process cannot cause one either, because work that waits there holds no database locks.
 */
export async function claimHeads(
  run: Run,
  { space }: RequestContext,
  writes: readonly PlannedWrite[],
): Promise<ReadonlyMap<PlannedWrite, number>> {
  const claimed = writes.filter(({ kind }) => kind !== 'create');
  if (claimed.length === 0) return new Map();
  const versions = await claimResources(
    run,
    space.number,
    claimed.map(({ typeNumber, key, kind }) => ({ type: typeNumber, key, isMade: kind === 'update' })),
  );
  return new Map(claimed.map((write, place) => [write, versions[place] ?? 0]));
}

/** Throws `RaceLost` if a claimed head is not at the version that the criteria matched. */
export function requireFound(
  writes: readonly PlannedWrite[],
  claimed: ReadonlyMap<PlannedWrite, number>,
): void {
  if (writes.some((write) => write.found !== undefined && claimed.get(write) !== write.found))
    throw new RaceLost();
}

/** Throws `RaceLost` if a claimed head is not at the version of the preparation, or that the criteria matched. */
export function requireUnchanged(
  { writes }: PreparedWrites,
  heads: readonly (VersionRow | undefined)[],
  claimed: ReadonlyMap<PlannedWrite, number>,
): void {
  requireFound(writes, claimed);
  for (const [place, write] of writes.entries()) {
    const version = claimed.get(write);
    if (version !== undefined && version !== (heads[place]?.version ?? 0)) throw new RaceLost();
  }
}

/** Answers of entries by their index. */
export type WrittenEntries = ReadonlyMap<number, EntryAnswer>;

/** The answer of a delete; one entry may delete several resources by criteria. */
function deletion(
  before: EntryAnswer | undefined,
  { entry: { request }, type, id }: PlannedWrite,
  versions: readonly StoredVersion[],
): EntryAnswer {
  const others = before?.kind === 'deleted' ? before.versions : [];
  const isNamed = 'target' in request && request.target.id !== undefined;
  return { kind: 'deleted', type, ...(isNamed ? { id } : {}), versions: [...others, ...versions] };
}

/**
 * Writes the prepared versions and returns the answers by entry index. Throws `RaceLost` if an expected
 * version is not current. Cost: one statement for each chunk.
 */
export async function writePrepared(
  services: Pick<Services, 'extensionBase' | 'keys'>,
  run: Run,
  context: RequestContext,
  ready: PreparedWrites,
): Promise<WrittenEntries> {
  for (const aspect of ready.aspects) await aspect?.hold?.(run);
  const written = new Map<number, WriteStamp>();
  for (const { members, bound } of ready.prepared.writes) {
    const change = context.space.searchParameters?.change;
    note(
      written,
      members,
      await writeEncoded(run, { bound, count: members.length, parameterChange: change }),
    );
  }
  for (const { member, typeNumber: type, key } of ready.versions.filter((version) => version !== undefined)) {
    const version = written.get(member)?.version;
    const references = ready.unopened.get(member) ?? [];
    if (version !== undefined)
      await noteUnopened(run, context.space.number, { type, key, version }, references);
  }
  return toAnswers(services, context, ready, written);
}

/**
 * As `writePrepared`, with all statements in one packet, so that the tenant's counter is locked for no round trip;
 * `required` follow the writes. Throws `RaceLost` if one of them fails. Only for creates under new ids, in a
 * transaction without other work.
 */
export async function writeWhole(
  services: Pick<Services, 'extensionBase' | 'keys' | 'writes'>,
  context: RequestContext,
  ready: PreparedWrites,
  required: readonly BoundStatement[],
): Promise<WrittenEntries> {
  const { space } = context;
  const { writes } = ready.prepared;
  const statements = writes.map(({ members, bound }) =>
    wholeWrite(bound, members.length, space.searchParameters?.change),
  );
  let rows: readonly (readonly Row[])[];
  try {
    rows = await services.writes.whole(space.number, [...statements, ...required]);
  } catch (error) {
    throw isLostRequirement(error) ? new RaceLost() : error;
  }
  const written = new Map<number, WriteStamp>();
  for (const [place, { members }] of writes.entries())
    note(written, members, toOutcomes(rows[place] ?? [], members.length));
  return toAnswers(services, context, ready, written);
}

/** Collects the outcomes. Throws `RaceLost` if one version was not written. */
function note(
  written: Map<number, WriteStamp>,
  members: readonly number[],
  outcomes: readonly (WriteStamp | undefined)[],
): void {
  for (const [place, member] of members.entries()) {
    const outcome = outcomes[place];
    if (outcome === undefined) throw new RaceLost();
    written.set(member, outcome);
  }
}

function toAnswers(
  services: Pick<Services, 'extensionBase' | 'keys'>,
  context: RequestContext,
  { writes, versions, heads, prepared }: PreparedWrites,
  written: ReadonlyMap<number, WriteStamp>,
): WrittenEntries {
  const entries = new Map(prepared.entries.map((entry) => [entry.member, entry]));
  const author = authorOf(context);
  const answers = new Map<number, EntryAnswer>();
  for (const [place, write] of writes.entries()) {
    const { type } = write;
    const { index } = write.entry;
    const version = versions[place];
    const entry = entries.get(write.member);
    const head = heads[place];
    if (version !== undefined && head !== undefined && entry?.changesNothing === true) {
      const unchanged = toStoredVersion(services, type, head);
      const result: WriteResult = { ...toResult(version, unchanged, entry), isUnchanged: true };
      answers.set(index, { kind: 'written', result });
      continue;
    }
    const outcome = written.get(write.member);
    if (version === undefined || outcome === undefined) {
      answers.set(index, deletion(answers.get(index), write, []));
      continue;
    }
    const row = toRow(version, entry, author, outcome);
    const stored = toStoredVersion(services, type, row);
    answers.set(
      index,
      version.change === 'delete'
        ? deletion(answers.get(index), write, [stored])
        : { kind: 'written', result: toResult(version, stored, entry) },
    );
  }
  return answers;
}

function toRow(
  version: EntryVersion,
  entry: PreparedEntry | undefined,
  author: string | null,
  written: WriteStamp,
): VersionRow {
  return {
    id: version.storedId,
    key: version.key,
    type: version.typeNumber,
    metaOffset: entry?.metaOffset ?? 0,
    change: version.change,
    author,
    body: entry?.text ?? '',
    ...written,
  };
}

function toResult(
  { replaced }: EntryVersion,
  version: WriteResult['version'],
  entry: PreparedEntry | undefined,
): WriteResult {
  return { version, created: replaced === undefined, warnings: entry?.warnings ?? [] };
}

/** Returns the versions that were written or deleted. */
export function versionsOf(written: WrittenEntries): readonly StoredVersion[] {
  return [...written.values()].flatMap((answer) =>
    answer.kind === 'written' ? [answer.result.version] : answer.kind === 'deleted' ? answer.versions : [],
  );
}
