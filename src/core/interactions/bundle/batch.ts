import type { EntryRecords } from '../../audit/entry-records';
import type { EntryAnswer } from '../../api/bundle';
import type { SingleWrites } from '../../api/interactions';
import { turns } from '../../concurrency/turns';
import { isBusy, repeatWhile } from '../../concurrency/while-busy';
import type { RequestContext } from '../../context';
import { FhirError, fhirError } from '../../errors';
import { entryExpression } from '../../fhir/bundle/entry';
import { createCopyBudget, type CopyBudget } from '../../fhir/patch';
import { parseIfNoneExist } from '../conditional/if-none-exist';
import type { BundleOutline, OutlinedEntry, RefusedEntry } from '../../preparation/bundle';
import type { ResourceInput } from '../../api/resource-input';
import { toFhirError } from '../../outcome';
import { AnswerAllowance } from './answer-allowance';
import { atEntry } from '../../preparation/entry-refusal';
import { readEntry, type EntryReader } from './read-entry';

/** Entries that run concurrently. */
const AT_ONCE = 32;

/**
 * Runs each entry of a batch independently, as if it were a request of its own, in no fixed order. An entry that fails
 * has its error as answer (https://hl7.org/fhir/R4/http.html#batch).
 */
export async function runBatch(
  writes: SingleWrites,
  records: EntryRecords,
  reader: EntryReader,
  { entries }: BundleOutline,
): Promise<readonly EntryAnswer[]> {
  const { context } = reader;
  const answers: EntryAnswer[] = [];
  const allowance = new AnswerAllowance(context);
  const copies = createCopyBudget();
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < entries.length; index = next++) {
      const entry = entries[index];
      if (entry === undefined) return;
      await turns.take();
      try {
        if (Date.now() > context.deadline) throw fhirError('timeout');
        context.revoked?.throwIfAborted();
        const run = (): Promise<EntryAnswer> => runEntry(writes, records, { ...reader, copies }, entry);
        answers[index] = allowance.take(await (context.isJob === true ? untilDone(context, run) : run()));
      } catch (error) {
        if (!(error instanceof FhirError))
          context.log.error(
            { requestId: context.requestId, fault: faultOf(error) },
            'an entry of a batch failed',
          );
        answers[index] = { kind: 'failed', error: toFhirError(error, context.requestId) };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, entries.length) }, work));
  return answers;
}

/** Repeats an entry that a busy server has not executed. */
function untilDone(
  { deadline, revoked }: RequestContext,
  run: () => Promise<EntryAnswer>,
): Promise<EntryAnswer> {
  return repeatWhile(
    run,
    (outcome) =>
      'error' in outcome && isBusy(outcome.error) && !outcome.error.isUncertain && Date.now() < deadline,
    { signal: revoked },
  );
}

interface BatchReader extends EntryReader {
  /** The budget of the JSON Patches of all entries together. */
  readonly copies: CopyBudget;
}

function faultOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

async function runEntry(
  writes: SingleWrites,
  records: EntryRecords,
  reader: BatchReader,
  entry: OutlinedEntry | RefusedEntry,
): Promise<EntryAnswer> {
  const { context } = reader;
  if ('refusal' in entry) {
    const refusal = new FhirError(entry.refusal.key, entry.refusal.issues);
    await records.noteRefused(context, refusal);
    throw refusal;
  }
  const { index, request } = entry;
  if (request.kind === 'get' || request.kind === 'invoke') {
    try {
      const answer = await readEntry(reader, entry);
      await records.noteRead(context, entry, answer);
      return answer;
    } catch (error) {
      if (error instanceof Error) await records.noteRead(context, entry, error);
      throw error;
    }
  }
  const type = request.kind === 'create' ? request.type : request.target.type;
  try {
    return await runWrite(writes, reader, entry);
  } catch (error) {
    throw atEntry(error, index, type);
  }
}

async function runWrite(
  writes: SingleWrites,
  { context, services, copies }: Pick<BatchReader, 'context' | 'services' | 'copies'>,
  { index, request, input }: OutlinedEntry,
): Promise<EntryAnswer> {
  switch (request.kind) {
    case 'create': {
      const { type, ifNoneExist } = request;
      if (ifNoneExist === undefined)
        return { kind: 'written', result: await writes.create(context, type, present(input)) };
      const criteria = parseIfNoneExist(services.references(context.space), type, ifNoneExist);
      const result = await writes.createIfNoneExist(context, type, present(input), criteria);
      return result.created ? { kind: 'written', result } : { kind: 'found', version: result.version };
    }
    case 'update': {
      const { target, guard } = request;
      const { type } = target;
      const result =
        target.id === undefined
          ? await writes.updateWhere(context, {
              type,
              criteria: target.criteria,
              input: present(input),
              guard,
            })
          : await writes.update(context, { type, id: target.id, input: present(input), guard });
      return { kind: 'written', result };
    }
    case 'patch': {
      const { target, guard } = request;
      const { type } = target;
      const result =
        target.id === undefined
          ? await writes.patchWhere(context, {
              type,
              criteria: target.criteria,
              patch: present(input),
              guard,
              copies,
            })
          : await writes.patch(context, { type, id: target.id, patch: present(input), guard, copies });
      return { kind: 'written', result };
    }
    case 'delete': {
      const { target, guard } = request;
      const { type } = target;
      if (target.id === undefined)
        return {
          kind: 'deleted',
          type,
          versions: await writes.deleteWhere(context, type, target.criteria, guard),
        };
      const { version } = await writes.delete(context, type, target.id, guard);
      return { kind: 'deleted', type, id: target.id, versions: version === undefined ? [] : [version] };
    }
    default:
      throw fhirError('invalidValue', { reason: 'An entry writes or reads' }, entryExpression(index));
  }
}

/** Entries that write have a resource: `readEntry` of core/fhir has checked it. */
function present(input: ResourceInput | undefined): ResourceInput {
  if (input === undefined) throw new Error('an entry that writes has lost its resource');
  return input;
}
