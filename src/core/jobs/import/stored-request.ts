/** The request of an import as its job has it. */
import type { Caller } from '../../api/access';
import type { ImportSource, LocalImport, NewImport } from '../../api/imports';
import type { RequestContext } from '../../context';
import { isJsonObject, type JsonObject, type JsonValue } from '../../fhir/json';
import { isRelease } from '../../fhir/release';
import type { ImportRequest } from './run-import';

/** Returns what is stored of a request of a client. */
export function describeRequest(
  { space, actor, access, address, requestId }: RequestContext,
  { files, request, source, codeSystem }: Pick<NewImport, 'files' | 'request' | 'source' | 'codeSystem'>,
): object {
  const caller: Caller = { actor, ...(access === undefined ? {} : { access }) };
  const { release } = space;
  return {
    // Earlier versions refuse an import without a release: they would write the first line of a code system as a resource.
    ...(codeSystem === undefined ? { release } : { codeSystem: { ...codeSystem, release } }),
    ...{ request, files, source, address, requestId },
    // As text, because it is passed on as it is.
    ...{ caller: JSON.stringify(caller), owner: ownerOf({ actor, access }) },
  };
}

/** Returns what is stored of a request of the operator. */
export function describeLocalRequest({
  release,
  files,
  fingerprint,
  source,
}: Pick<LocalImport, 'release' | 'files' | 'fingerprint' | 'source'>): object {
  return { release, files: files.map(({ name }) => ({ name })), fingerprint, source, notesReport: true };
}

/** Returns the request of a stored job. Throws an Error for one that `describeRequest` did not make. */
export function readRequest(tenant: string, stored: JsonObject): ImportRequest {
  const { caller, address, requestId, source } = stored;
  const codeSystem = isJsonObject(stored['codeSystem']) ? stored['codeSystem'] : undefined;
  const release = (codeSystem ?? stored)['release'];
  if (typeof release !== 'string' || !isRelease(release)) throw new Error('a stored import has no release');
  return {
    ...{ tenant, release, files: filesOf(stored) },
    caller: typeof caller === 'string' ? (JSON.parse(caller) as Caller) : undefined,
    address: textOf(address),
    source: textOf(source),
    requestId: textOf(requestId) ?? '',
    codeSystem: codeSystem && {
      format: textOf(codeSystem['format']) ?? '',
      url: textOf(codeSystem['url']),
      version: textOf(codeSystem['version']),
      name: textOf(codeSystem['name']),
    },
  };
}

export function filesOf({ files }: JsonObject): readonly ImportSource[] {
  if (!Array.isArray(files)) return [];
  return files.filter(isJsonObject).map(({ name, type, url, bytes }) => ({
    name: textOf(name) ?? '',
    type: textOf(type),
    url: textOf(url),
    bytes: typeof bytes === 'number' ? bytes : undefined,
  }));
}

export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns the owner of a job: the client, the person, and the patient in context. */
export function ownerOf({ actor, access }: Pick<RequestContext, 'actor' | 'access'>): string {
  return JSON.stringify([actor, access?.user ?? null, access?.patient ?? null]);
}
