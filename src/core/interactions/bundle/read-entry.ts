import { requireApart } from '../../audit/audit-event-search';
import type { ReadingContext } from '../../audit/audit-event-routing';
import type { EntryAnswer } from '../../api/bundle';
import type { Invocation, InvocationResult } from '../../api/operation';
import type { StoredVersion } from '../../storage/read/stored-version';
import { turns } from '../../concurrency/turns';
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import { entryExpression, type EntryRequest, type ClientVersion } from '../../fhir/bundle/entry';
import type { OutlinedEntry } from '../../preparation/bundle';
import type { SearchServices, Services } from '../../ports';
import { capabilities } from '../capabilities';
import { history } from '../history';
import { parseHistoryParameters } from '../history-parameters';
import { applySummary } from '../../search-execution/page/apply-summary';
import { read } from '../../versions/read';
import { searchAny } from '../../search-execution/system-search';
import { vread } from '../../versions/vread';

/** Dependencies of entries that only read. */
export interface EntryReader {
  readonly services: SearchServices & Pick<Services, 'isAuditApart'>;
  readonly context: RequestContext;
  /** `Prefer: handling`, for searches. */
  readonly handling: 'strict' | 'lenient' | undefined;
  /** The context for reading resources of a type. */
  readonly toRead: ReadingContext;
  invoke(context: RequestContext, invocation: Invocation): Promise<InvocationResult>;
}

/**
 * Answers an entry that writes nothing: read, vread, search, history, operation, metadata. The answer is that of the
 * same request alone, and so are the errors.
 */
export async function readEntry(
  reader: EntryReader,
  { index, request, input }: OutlinedEntry,
): Promise<EntryAnswer> {
  if (request.kind === 'invoke') {
    const { type, id, code } = request.place;
    const level = id !== undefined ? 'instance' : type !== undefined ? 'type' : 'system';
    const result = await reader.invoke(reader.context, {
      level,
      type,
      id,
      code,
      input: request.isSafe ? undefined : input,
      query: request.query,
      safe: request.isSafe,
    });
    return { kind: 'invoked', result, path: request.path, isHead: request.isHead };
  }
  if (request.kind !== 'get') throw new Error('an entry that writes is not read');
  return answerGet(reader, index, request);
}

async function answerGet(
  { services, context, handling, toRead }: EntryReader,
  index: number,
  { place, query, path, isHead, cachedVersion }: Extract<EntryRequest, { kind: 'get' }>,
): Promise<EntryAnswer> {
  const search = async (scope: {
    type?: string;
    compartment?: { type: string; id: string };
  }): Promise<EntryAnswer> => {
    const request = { ...scope, parameters: query, handling };
    if (services.isAuditApart) requireApart(request);
    const page = await searchAny(services, toRead(context, scope.type), request);
    return { kind: 'search', page, path, isHead };
  };
  const one = async (version: StoredVersion): Promise<EntryAnswer> => {
    await turns.take();
    return {
      kind: 'read',
      version: applySummary(services.definitions(context.space.release), version, query),
      isHead,
      isUnchanged: isUnchanged(version, cachedVersion),
    };
  };
  switch (place.kind) {
    case 'instance':
      return one(await read(services, toRead(context, place.type), place.type, place.id));
    case 'version':
      return one(
        await vread(services, toRead(context, place.type), {
          type: place.type,
          id: place.id,
          versionId: place.versionId,
        }),
      );
    case 'system':
      return search({});
    case 'type':
      return search({ type: place.type });
    case 'compartment': {
      const { type, id, member } = place;
      return search({ compartment: { type, id }, ...(member === undefined ? {} : { type: member }) });
    }
    case 'history': {
      const { type, id } = place;
      const page = await history(services, toRead(context, type), {
        type,
        id,
        ...parseHistoryParameters(query),
      });
      return { kind: 'history', page, path, query, isHead };
    }
    case 'metadata': {
      if (query.some(([name]) => name === 'mode'))
        throw fhirError(
          'notSupported',
          { reason: 'In a Bundle, metadata is the CapabilityStatement and nothing else' },
          entryExpression(index, 'request.url'),
        );
      return { kind: 'resource', text: (await capabilities(services, context, 'full')).text, isHead };
    }
  }
}

/** As `If-None-Match` and `If-Modified-Since` of a read; the latter compares whole seconds. */
function isUnchanged(
  { versionId, lastUpdated }: StoredVersion,
  cachedVersion: ClientVersion | undefined,
): boolean {
  if (cachedVersion?.tags !== undefined)
    return cachedVersion.tags.includes('*') || cachedVersion.tags.includes(String(versionId));
  if (cachedVersion?.modifiedSince === undefined) return false;
  return Math.floor(lastUpdated / 1000) * 1000 <= cachedVersion.modifiedSince;
}
