import { NO_ENTRY_RECORDS, type EntryRecords } from '../../audit/entry-records';
import { requireReadable } from '../../authorization/visibility';
import type { EntryAnswer } from '../../api/bundle';
import type { ImportPart } from '../../storage/jobs/import-part';
import type { StoredVersion } from '../../storage/read/stored-version';
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import { RELEASES } from '../../fhir/release';
import type { BundleOutline, OpenBundle, OutlinedEntry } from '../../preparation/bundle';
import type { SearchServices, Services } from '../../ports';
import type { BoundStatement } from '../../storage/connection/connection';
import { requireTokens } from '../../storage/search/token-look-up';
import { questionsOf } from './find-identified';
import { insertRecords } from '../../storage/audit/access-records';
import { writePart } from '../../storage/jobs/import-chunks';
import { lockConditions, type ConditionLock } from '../../storage/write/condition-lock';
import type { Database, Run } from '../../storage/connection/database';
import { isRetryable } from '../../storage/connection/database-error';
import { keyOfText, type VersionRow } from '../../storage/read/version-row';
import type { Condition } from '../conditional/condition';
import { locksOfStored } from '../conditional/condition-locks';
import { withinTransaction } from '../../search-execution/read-scope';
import { toStoredVersion } from '../../versions/stored-version';
import { AnswerAllowance } from './answer-allowance';
import {
  EntryConditions,
  findAllMatches,
  Matches,
  readConditionalReferences,
  resolveReferences,
  type ConditionalReferences,
} from './entry-conditions';
import { EntryNames } from './entry-names';
import { NewIds, planTransaction, versionsAfter, type Plan } from './plan';
import { atEntry } from '../../preparation/entry-refusal';
import type { PlannedWrite } from './planned-write';
import { readEntry, type EntryReader } from './read-entry';
import { RaceLost } from './race-lost';
import { readHeads } from './read-heads';
import { completeAspects, followVersions } from '../write-aspects';
import { requireNoAuditEvent, requireReading } from './outside-transactions';
import {
  claimHeads,
  prepareWrites,
  requireFound,
  requireUnchanged,
  writePrepared,
  versionsOf,
  writeWhole,
  type PreparedWrites,
  type WrittenEntries,
} from './write-transaction';

/** Dependencies of a transaction. */
export interface TransactionTools {
  readonly services: Services;
  readonly context: RequestContext;
  readonly handling: EntryReader['handling'];
  /** True: everything is rolled back. */
  readonly isDryRun: boolean;
  /** True: references by criteria are not resolved, and so are rejected. */
  readonly isSingleWrite: boolean;
  /** As `BundleRequest.importParts`. */
  readonly importParts: readonly ImportPart[] | undefined;
  /** Audit records of the entries, stored together with the changes. */
  readonly records: EntryRecords;
  readonly toRead: EntryReader['toRead'];
  /** True if AuditEvents are in a space of their own. */
  readonly isAuditApart: boolean;
  /** Runs an operation with services that read within the transaction. */
  invoke(services: Services, ...args: Parameters<EntryReader['invoke']>): ReturnType<EntryReader['invoke']>;
}

/**
 * Runs all entries of a transaction, or none (https://hl7.org/fhir/R4/http.html#transaction). The answers are in the
 * order of the entries. Throws the error of the first failure, with expressions that begin with `Bundle.entry[n]`;
 * `bundleConflict` if other writers are faster until the deadline.
 *
 * Resources are prepared before anything is locked, against the current heads and matches. They are written if both are
 * unchanged when conditions and heads are locked. After a lost race the transaction runs again with the locks
 * taken first. So the first attempt blocks no other writer while it validates, and the second one rarely loses.
 *
 * All writers take locks in one order: conditions, heads, the tenant's counter. Waiting in the queues of a process
 * cannot cause a deadlock, because work that waits there holds no database locks.
 *
 * Cost: one statement each to read the replaced versions, claim the heads, and lock conditions; two for the matches of
 * each thousand conditions; one for each 500 versions; commit.
 */
export async function runTransaction(
  tools: TransactionTools,
  bundle: OpenBundle,
): Promise<readonly EntryAnswer[]> {
  const { services, context } = tools;
  const entries = bundle.outline.entries.flatMap((entry) => ('refusal' in entry ? [] : [entry]));
  if (entries.length === 0) return [];
  if (tools.isAuditApart) entries.forEach(requireNoAuditEvent);
  const { definitions, references } = services.searchContext(context.space);
  const names = new EntryNames(definitions, references, entries);
  const conditions = new EntryConditions(services, context, names, entries);
  const ids = new NewIds(services);
  const transaction = new Transaction(tools, bundle, { entries, names, conditions, ids });
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await (isFirst ? transaction.runPrepared() : transaction.runLocked());
    } catch (error) {
      if (!(error instanceof RaceLost) && !isRetryable(error)) throw error;
      if (!(error instanceof LocksMissing)) ids.clear();
    }
    if (Date.now() > context.deadline) throw fhirError('bundleConflict');
  }
}

/** The resources to be stored have identifiers that were not locked: the next attempt locks them first. */
class LocksMissing extends RaceLost {}

type Resolved = ReturnType<typeof resolveReferences>;

/** Rolls back a dry run. */
class RolledBack extends Error {
  constructor(readonly answers: readonly EntryAnswer[]) {
    super('a dry run is over');
  }
}

const NO_REFERENCES: BundleOutline['conditionalReferences'] = new Map();
const NO_PARTS: readonly ImportPart[] = [];
const NO_MATCHES = new Matches(new Map());

class Transaction {
  /** The locks for identifiers of resources that were prepared once, because conditions of others may match them. */
  private readonly stored = new Map<string, ConditionLock>();

  private readonly entries: readonly OutlinedEntry[];
  private readonly names: EntryNames;
  private readonly conditions: EntryConditions;
  private readonly ids: NewIds;
  private references: ConditionalReferences;

  constructor(
    private readonly tools: TransactionTools,
    private readonly bundle: OpenBundle,
    parts: {
      readonly entries: readonly OutlinedEntry[];
      readonly names: EntryNames;
      readonly conditions: EntryConditions;
      readonly ids: NewIds;
    },
  ) {
    ({ entries: this.entries, names: this.names, conditions: this.conditions, ids: this.ids } = parts);
    this.references = this.readReferences();
  }

  /** Prepares first, then locks. */
  async runPrepared(): Promise<readonly EntryAnswer[]> {
    const { services, context } = this.tools;
    const { plan, matches } = await this.plan(services);
    const { writes } = plan;
    const found = await this.findReferences(services);
    // The reference may match a resource of this transaction, which only a search inside it can find.
    if ([...this.references.conditions.values()].some((condition) => found.of(condition).length !== 1))
      throw new RaceLost();
    const heads = await this.readExistingHeads(services, writes);
    const conditional = resolveReferences(this.references, found);
    const { targets } = plan;
    const ready = await prepareWrites(services, context, this.bundle, {
      writes,
      heads,
      targets,
      versionIds: versionsAfter(plan, heads),
      conditional,
    });
    this.noteStored(ready);
    const required = this.isOnlyMaking(ready) ? this.requireReferences(found) : undefined;
    if (required !== undefined) {
      context.revoked?.throwIfAborted();
      // Frees the Bundle before the wait for the database.
      this.bundle.close();
      const written = await writeWhole(services, context, ready, required);
      return this.entries.map(({ index }) => answerOf(written, index));
    }
    return this.inTransaction(async (run, database) => {
      const within = inside(services, database);
      await this.lock(run);
      if (!matches.areSame(await this.findConditions(within))) throw new RaceLost();
      requireUnchanged(ready, heads, await claimHeads(run, context, writes));
      const written = await writePrepared(services, run, context, ready);
      await followVersions(within, run, context, versionsOf(written));
      if (!this.isSame(conditional, await this.findReferences(within))) throw new RaceLost();
      await completeAspects(run, [ready.aspects]);
      return this.complete(run, within, plan, written);
    });
  }

  /** True if the transaction only creates resources under new ids, which no other writer uses. */
  private isOnlyMaking({ writes, aspects, unopened }: PreparedWrites): boolean {
    const { isDryRun, records, importParts } = this.tools;
    return (
      this.conditions.all.length === 0 &&
      writes.length === this.entries.length &&
      writes.every(({ kind }) => kind === 'create') &&
      !isDryRun &&
      importParts === undefined &&
      aspects.every((aspect) => aspect === undefined) &&
      [...unopened.values()].every(({ length }) => length === 0) &&
      records === NO_ENTRY_RECORDS
    );
  }

  /** Statements that fail unless the references by criteria still match the same; undefined if that needs a search. */
  private requireReferences(found: Matches): readonly BoundStatement[] | undefined {
    const { services, context } = this.tools;
    const conditions = [...this.references.conditions.values()];
    const required = questionsOf(services, context, conditions)?.map((question, place) => {
      const condition = conditions[place];
      const [match] = condition === undefined ? [] : found.of(condition);
      if (match === undefined) throw new Error('a reference was resolved to nothing');
      return { ...question, key: keyOfText(match.keyText) };
    });
    return required && requireTokens(context.space.number, required);
  }

  /** Locks first, then prepares. */
  async runLocked(): Promise<readonly EntryAnswer[]> {
    const { services, context } = this.tools;
    return this.inTransaction(async (run, database) => {
      const within = inside(services, database);
      // From here on no other conditional write interferes.
      const locked = new Set(this.conditions.all.map(({ name }) => name));
      await this.lock(run);
      const { plan } = await this.plan(within);
      // Criteria may name a different resource now, after ids were assigned anew.
      if (this.conditions.all.some(({ name }) => !locked.has(name))) throw new LocksMissing();
      const { writes, targets } = plan;
      requireFound(writes, await claimHeads(run, context, writes));
      const heads = new Map<PlannedWrite, VersionRow | undefined>();
      const read = await this.readExistingHeads(within, writes);
      writes.forEach((write, place) => heads.set(write, read[place]));
      const versionIds = versionsAfter(plan, read);
      const write = async (
        some: readonly PlannedWrite[],
        conditional: Resolved,
      ): Promise<{ ready: Awaited<ReturnType<typeof prepareWrites>>; written: WrittenEntries }> => {
        const ready = await prepareWrites(services, context, this.bundle, {
          writes: some,
          heads: some.map((each) => heads.get(each)),
          targets,
          versionIds,
          conditional,
        });
        if (this.noteStored(ready)) throw new LocksMissing();
        return { ready, written: await writePrepared(services, run, context, ready) };
      };
      // References by criteria are searched for after the other writes, because they may match those.
      const isLate = ({ entry }: PlannedWrite): boolean => entry.refersByCriteria;
      const early = await write(
        writes.filter((each) => !isLate(each)),
        [],
      );
      const conditional = resolveReferences(this.references, await this.findReferences(within));
      const late = await write(writes.filter(isLate), conditional);
      // The last writes may have added a second match.
      resolveReferences(this.references, await this.findReferences(within));
      const written = new Map([...early.written, ...late.written]);
      await followVersions(within, run, context, versionsOf(written));
      await completeAspects(run, [early.ready.aspects, late.ready.aspects]);
      return this.complete(run, within, plan, written);
    });
  }

  /** Runs `work` in a transaction; a dry run rolls it back instead of committing. */
  private async inTransaction(
    work: (run: Run, database: Database) => Promise<readonly EntryAnswer[]>,
  ): Promise<readonly EntryAnswer[]> {
    const { services, context, isDryRun, importParts = NO_PARTS } = this.tools;
    const { number: space } = context.space;
    if (!isDryRun)
      return services.writes.transaction(space, async (run, database) => {
        for (const part of importParts) await writePart(run, space, part);
        return work(run, database);
      });
    try {
      return await services.writes.transaction(space, async (run, database) => {
        throw new RolledBack(await work(run, database));
      });
    } catch (error) {
      if (error instanceof RolledBack) return error.answers;
      throw error;
    }
  }

  /** Plans by the data that the services see: the current data, or that of the transaction. */
  private async plan(services: SearchServices): ReturnType<typeof planTransaction> {
    const { entries, conditions, ids } = this;
    const { context } = this.tools;
    const planned = await planTransaction(
      { services, context, ids, conditions, find: (some) => this.find(services, some) },
      entries,
    );
    if (this.references.haveNames) this.references = this.readReferences(planned.plan.targets);
    return planned;
  }

  private readReferences(targets?: Plan['targets']): ConditionalReferences {
    const { services, context, isSingleWrite } = this.tools;
    const conditional = isSingleWrite ? NO_REFERENCES : this.bundle.outline.conditionalReferences;
    return readConditionalReferences(services, context, {
      conditionalReferences: conditional,
      names: this.names,
      targets,
    });
  }

  /** Locks the conditions, and the identifiers of resources stored under them, as single conditional writes do. */
  private async lock(run: Run): Promise<void> {
    const { all } = this.conditions;
    if (all.length === 0) return;
    await lockConditions(run, this.tools.context.space.number, [
      ...all,
      { locks: [...this.stored.values()] },
    ]);
  }

  /** Adds the locks for prepared resources; true if one was not locked before. */
  private noteStored({ writes, prepared }: PreparedWrites): boolean {
    const { size } = this.stored;
    const types = new Map(writes.map(({ member, typeNumber }) => [member, typeNumber]));
    for (const { member, identifying = [] } of prepared.entries)
      for (const lock of locksOfStored(types.get(member) ?? 0, identifying))
        this.stored.set(`${lock.type} ${lock.value}`, lock);
    return this.stored.size > size;
  }

  private find(services: SearchServices, conditions: readonly Condition[]): Promise<Matches> {
    const { context } = this.tools;
    const isForAll = context.space.settings.conditionalDelete === 'multiple';
    return findAllMatches(services, context, conditions, isForAll ? MOST_DELETED + 1 : TELLING);
  }

  /** The matches of the plan's conditions. */
  private async findConditions(services: SearchServices): Promise<Matches> {
    const { all } = this.conditions;
    return all.length === 0 ? NO_MATCHES : this.find(services, all);
  }

  private findReferences(services: SearchServices): Promise<Matches> {
    const { conditions } = this.references;
    return findAllMatches(services, this.tools.context, [...conditions.values()], TELLING);
  }

  private isSame(resolved: Resolved, matches: Matches): boolean {
    const references = new Map(resolved);
    return [...this.references.conditions].every(([text, condition]) => {
      const [match, other] = matches.of(condition);
      return (
        other === undefined && match !== undefined && references.get(text) === `${condition.type}/${match.id}`
      );
    });
  }

  /** The heads in the order of `writes`; creates have none. */
  private async readExistingHeads(
    { reader }: Pick<Services, 'reader'>,
    writes: readonly PlannedWrite[],
  ): Promise<readonly (VersionRow | undefined)[]> {
    const existing = writes.filter(({ kind }) => kind !== 'create');
    if (existing.length === 0) return writes.map(() => undefined);
    const heads = await readHeads(reader, this.tools.context, existing);
    const byWrite = new Map(existing.map((write, place) => [write, heads[place]]));
    return writes.map((write) => byWrite.get(write));
  }

  /** Runs the reading entries after all writes, and returns all answers in the order of the entries. */
  private async complete(
    run: Run,
    services: Services,
    plan: Plan,
    written: WrittenEntries,
  ): Promise<readonly EntryAnswer[]> {
    const { context } = this.tools;
    const answers = new Map<number, EntryAnswer>([...plan.withoutWrite, ...written]);
    for (const { entry, type, match } of plan.found) {
      const version = await this.readMatch(services, type, match);
      answers.set(entry.index, { kind: 'found', version });
    }
    for (const [index, maker] of plan.repeated) {
      const made = answers.get(maker);
      if (made?.kind !== 'written') throw new Error('the resource of an entry does not exist');
      answers.set(index, { kind: 'found', version: made.result.version });
    }
    const allowance = new AnswerAllowance(this.tools.context);
    const reader: EntryReader = {
      services,
      context,
      handling: this.tools.handling,
      toRead: this.tools.toRead,
      invoke: (...args) => this.tools.invoke(services, ...args),
    };
    for (const entry of this.entries) {
      const { request, index } = entry;
      if (request.kind !== 'get' && request.kind !== 'invoke') continue;
      if (Date.now() > context.deadline) throw fhirError('timeout');
      requireReading(services, context, entry);
      try {
        answers.set(index, allowance.take(await readEntry(reader, entry)));
      } catch (error) {
        throw atEntry(error, index, '');
      }
    }
    const all = this.entries.map(({ index }) => answerOf(answers, index));
    const records = this.tools.records.of(context, this.entries, all);
    if (records.length > 0) await insertRecords(run, context.space.number, records);
    context.revoked?.throwIfAborted();
    return all;
  }

  private async readMatch(
    services: Services,
    type: string,
    { keyText, version, isBase }: Plan['found'][number]['match'],
  ): Promise<StoredVersion> {
    const { space } = this.tools.context;
    const from = isBase ? RELEASES[space.release].baseSpace : space.number;
    const typeNumber = services.definitions(space.release).typeNumber(type) ?? 0;
    const row = await services.reader.version(from, { type: typeNumber, key: keyOfText(keyText) }, version);
    if (row === undefined) throw new Error('the version of a head is gone');
    await requireReadable(services, this.tools.context, { type, space: from, row });
    return toStoredVersion(services, type, row);
  }
}

function answerOf(answers: WrittenEntries, index: number): EntryAnswer {
  const answer = answers.get(index);
  if (answer === undefined) throw new Error('an entry of a transaction has no answer');
  return answer;
}

/** Enough matches to distinguish none, one and several. */
const TELLING = 2;
/** Maximum number of resources that one conditional delete removes if the tenant allows several. */
const MOST_DELETED = 1000;

/** Services that read the writes of the transaction. */
function inside<S extends SearchServices>(services: S, database: Database): S {
  // Entries cached under a version that is not committed must not reach the shared cache.
  return {
    ...withinTransaction(services, database),
    codeSystems: services.codeSystems.nested(),
  };
}
