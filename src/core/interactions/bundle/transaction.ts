import type { EntryAnswer } from '../../api';
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import { entryExpression } from '../../fhir/bundle/entry';
import type { OpenBundle, OutlinedEntry } from '../../preparation/bundle';
import type { NewId } from '../../search/resource-key';
import type { Services } from '../../services';
import type { Database } from '../../storage/database';
import { isRetryable } from '../../storage/database-error';
import { inWritingOrder, planWrite, requireDifferent, type PlannedWrite } from './planned-write';
import { readHeads } from './read-heads';
import {
  claimHeads,
  prepareWrites,
  RaceLost,
  registerAll,
  requireUnchanged,
  writePrepared,
} from './write-transaction';

/**
 * All entries of a transaction, or none (https://hl7.org/fhir/R4/http.html#transaction). Its answers stand in the order of
 * the entries. Throws the one error that refuses it, its expressions beginning with `Bundle.entry[n]`; `bundleConflict`
 * when others are faster until the deadline.
 *
 * Resources are prepared before anything is locked, against what is there now; if it is still there when the heads are
 * taken, it is written. A race that is lost is run again with the heads taken first. So the first attempt keeps nobody
 * waiting while it validates, and the second cannot lose.
 *
 * Cost: one statement that reads what is replaced, one that takes it, one for each 1,000 versions, and commit.
 */
export async function runTransaction(
  services: Services,
  context: RequestContext,
  bundle: OpenBundle,
): Promise<readonly EntryAnswer[]> {
  const entries = bundle.outline.entries.flatMap((entry) => ('refusal' in entry ? [] : [entry]));
  if (entries.length === 0) return [];
  const ids = new Map<number, NewId>();
  const transaction: Transaction = { services, context, bundle, entries, ids };
  await services.writes.ready(context.space.number);
  for (let attempt = 0; ; attempt++) {
    try {
      return attempt === 0 ? await runPrepared(transaction) : await runLocked(transaction);
    } catch (error) {
      if (!(error instanceof RaceLost) && !isRetryable(error)) throw error;
    }
    if (Date.now() > context.deadline) throw fhirError('bundleConflict');
    // An id of ours that somebody has already.
    ids.clear();
  }
}

interface Transaction {
  readonly services: Services;
  readonly context: RequestContext;
  readonly bundle: OpenBundle;
  readonly entries: readonly OutlinedEntry[];
  /** Of what is created, by entry. */
  readonly ids: Map<number, NewId>;
}

/** Prepares first, locks afterwards. */
async function runPrepared(transaction: Transaction): Promise<readonly EntryAnswer[]> {
  const { services, context, bundle } = transaction;
  const writes = planWrites(transaction);
  const heads = await readKnownHeads(transaction, services, writes);
  const ready = await prepareWrites(services, context, bundle, {
    writes,
    heads,
    links: writes,
    conditional: [],
  });
  return services.connections.transaction(context.space.number, async (run, database) => {
    requireUnchanged(ready, heads, await claimHeads(run, context, writes));
    const answers = await writePrepared(services, run, context, ready);
    await registerAll(run, context, [ready]);
    return complete(transaction, database, answers);
  });
}

/** Locks first. */
async function runLocked(transaction: Transaction): Promise<readonly EntryAnswer[]> {
  const { services, context, bundle } = transaction;
  return services.connections.transaction(context.space.number, async (run, database) => {
    const writes = planWrites(transaction);
    await claimHeads(run, context, writes);
    const inside = { ...services, reader: services.reader.over(database) };
    const heads = await readKnownHeads(transaction, inside, writes);
    const ready = await prepareWrites(services, context, bundle, {
      writes,
      heads,
      links: writes,
      conditional: [],
    });
    const answers = await writePrepared(services, run, context, ready);
    await registerAll(run, context, [ready]);
    return complete(transaction, database, answers);
  });
}

/** What each entry writes, in the order in which it is done. Throws `invalidValue` for one resource twice. */
function planWrites(transaction: Transaction): PlannedWrite[] {
  const { services, context, entries } = transaction;
  const writes: PlannedWrite[] = [];
  for (const entry of entries) {
    const { request } = entry;
    if (request.kind === 'create') {
      const id = newId(transaction, entry.index);
      writes.push(planWrite(services, context, entry, 'create', { type: request.type, id: id.id, key: id }));
    } else if (request.kind === 'update' || request.kind === 'patch' || request.kind === 'delete') {
      const { target } = request;
      if (target.id === undefined)
        throw fhirError(
          'notSupported',
          { reason: 'Conditional entries are not supported yet' },
          entryExpression(entry.index, 'request.url'),
        );
      writes.push(planWrite(services, context, entry, request.kind, target));
    }
  }
  requireDifferent(writes);
  return inWritingOrder(writes);
}

function newId({ services, ids }: Transaction, index: number): NewId {
  let id = ids.get(index);
  if (id === undefined) ids.set(index, (id = services.ids.next()));
  return id;
}

/** In the order of `writes`; what is created has none. */
async function readKnownHeads(
  { context }: Transaction,
  { reader }: Services,
  writes: readonly PlannedWrite[],
): Promise<Awaited<ReturnType<typeof readHeads>>[number][]> {
  const known = writes.filter(({ kind }) => kind !== 'create');
  const heads = known.length === 0 ? [] : await readHeads(reader, context, known);
  const byWrite = new Map(known.map((write, place) => [write, heads[place]]));
  return writes.map((write) => byWrite.get(write));
}

/** Runs what only reads, behind all writes, and puts all answers into the order of the entries. */
async function complete(
  { entries }: Transaction,
  _database: Database,
  answers: ReadonlyMap<number, EntryAnswer>,
): Promise<readonly EntryAnswer[]> {
  return entries.map(({ index }) => {
    const answer = answers.get(index);
    if (answer !== undefined) return answer;
    throw fhirError(
      'notSupported',
      { reason: 'Entries that read are not supported yet' },
      entryExpression(index, 'request.method'),
    );
  });
}
