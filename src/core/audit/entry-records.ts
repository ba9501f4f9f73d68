/** Audit records of the entries of batches and transactions: each entry is recorded like a single request. */
import type { EntryAnswer } from '../api/bundle';
import type { RequestContext } from '../context';
import type { BundleEntry } from '../fhir/bundle/entry';
import type { IdSource } from '../search/rows/resource-key';
import type { AccessRecord } from '../storage/audit/access-line';
import type { AccessLog } from './access-log';
import { describeHistory, describeSearch, endingOf, listed, listedOf, operationAddress } from './describe';
import { toRecord, type Described, withFound } from './recording';

type RequestedEntry = Pick<BundleEntry, 'request'>;

export interface EntryRecords {
  /** Records an entry of a batch that reads, after it was answered or has failed. */
  noteRead(
    context: RequestContext,
    entry: RequestedEntry,
    answer: EntryAnswer | Error,
  ): Promise<void> | undefined;
  /** Records an entry of a batch that could not be parsed. */
  noteRefused(context: RequestContext, error: Error): Promise<void> | undefined;
  /** Returns the records of a transaction, to be written with it. Answers are in the order of the entries. */
  of(
    context: RequestContext,
    entries: readonly RequestedEntry[],
    answers: readonly EntryAnswer[],
  ): readonly AccessRecord[];
}

const NOTHING: readonly AccessRecord[] = [];

/** For servers without audit records. */
export const NO_ENTRY_RECORDS: EntryRecords = {
  noteRead: () => undefined,
  noteRefused: () => undefined,
  of: () => NOTHING,
};

export function createEntryRecords(log: AccessLog, ids: IdSource, recordsReads: boolean): EntryRecords {
  return {
    noteRead(context, { request }, answer) {
      const described = describeEntry(request);
      if (answer instanceof Error)
        return log.note(context.space.number, toRecord(ids, context, described, endingOf(answer)));
      if (!recordsReads && !isChanging(request)) return undefined;
      const whole = withFound(described, describeAnswer(answer));
      return log.note(context.space.number, toRecord(ids, context, whole));
    },
    noteRefused: (context, error) =>
      log.note(context.space.number, toRecord(ids, context, { interaction: 'batch' }, endingOf(error))),
    of(context, entries, answers) {
      return entries.flatMap(({ request }, place) => {
        const answer = answers[place];
        if (answer === undefined || (isReading(request) && !recordsReads && !isChanging(request))) return [];
        const described = describeEntry(request);
        if (answer.kind !== 'deleted' || answer.versions.length === 0)
          return [toRecord(ids, context, withFound(described, describeAnswer(answer)))];
        return answer.versions.map(({ type, id, versionId }) =>
          toRecord(ids, context, withFound(described, { type, id, version: versionId })),
        );
      });
    },
  };
}

type EntryRequest = BundleEntry['request'];

function isReading({ kind }: EntryRequest): boolean {
  return kind === 'get' || kind === 'invoke';
}

function isChanging(request: EntryRequest): boolean {
  return request.kind === 'invoke' && !request.isSafe;
}

function describeEntry(request: EntryRequest): Described {
  switch (request.kind) {
    case 'create': {
      const { type, ifNoneExist } = request;
      return {
        interaction: 'create',
        type,
        ...(ifNoneExist === undefined ? {} : { query: `${type}?${ifNoneExist}` }),
      };
    }
    case 'update':
    case 'patch':
    case 'delete': {
      const { type, id, criteria } = request.target;
      return {
        interaction: request.kind,
        type,
        id,
        ...(criteria === undefined ? {} : { query: describeSearch({ type, parameters: criteria }).query }),
      };
    }
    case 'invoke': {
      const { type, id, code } = request.place;
      return {
        interaction: 'operation',
        type,
        id,
        query: operationAddress({ type, id, code, query: request.query }),
      };
    }
    case 'get': {
      const { place, query } = request;
      switch (place.kind) {
        case 'instance':
          return { interaction: 'read', type: place.type, id: place.id };
        case 'version':
          return { interaction: 'vread', type: place.type, id: place.id };
        case 'history':
          return describeHistory(place);
        case 'metadata':
          return { interaction: 'capabilities' };
        case 'compartment':
          return describeSearch({
            type: place.member,
            compartment: { type: place.type, id: place.id },
            parameters: query,
          });
        case 'type':
          return describeSearch({ type: place.type, parameters: query });
        case 'system':
          return describeSearch({ parameters: query });
      }
    }
  }
}

function describeAnswer(answer: EntryAnswer): Partial<Described> {
  switch (answer.kind) {
    case 'written': {
      const { type, id, versionId } = answer.result.version;
      return { type, id, version: versionId };
    }
    case 'found':
    case 'read': {
      const { type, id, versionId } = answer.version;
      return { type, id, version: versionId };
    }
    case 'search':
      return { details: listedOf(answer.page) };
    case 'history':
      return { details: listed(answer.page.versions) };
    default:
      return {};
  }
}
