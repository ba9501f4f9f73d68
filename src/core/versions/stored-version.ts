import type { StoredVersion } from '../storage/read/stored-version';
import { ANONYMOUS, type RequestContext, type TenantSpace } from '../context';
import { toFullText } from '../fhir/resource-text';
import { SEARCH_PARAMETER } from '../fhir/type-names';
import type { Services } from '../ports';
import type { VersionRow } from '../storage/read/version-row';

/** ClientApplication of what the server itself writes. */
export const SERVER_ACTOR = 'andiron';

/** As `VersionWrite.author`: null stands for ANONYMOUS. */
export function authorOf({ actor }: Pick<RequestContext, 'actor'>): string | null {
  return actor === ANONYMOUS ? null : actor;
}

/** A row as the version to send: its text with the server's part of meta added. Made once for each row. */
export function toStoredVersion(
  services: Pick<Services, 'extensionBase' | 'keys'>,
  type: string,
  row: VersionRow,
): StoredVersion {
  return (row.answered ??= makeStoredVersion(services, type, row));
}

/**
 * As `toStoredVersion`, with a mark on a SearchParameter that has failed in the space. Cost: nothing for other
 * types.
 */
export function toReadVersion(
  services: Pick<Services, 'extensionBase' | 'keys'>,
  { searchParameters }: TenantSpace,
  type: string,
  row: VersionRow,
): StoredVersion {
  const version = toStoredVersion(services, type, row);
  if (type !== SEARCH_PARAMETER || searchParameters === undefined) return version;
  const failed = searchParameters.list.filter(
    ({ owner, state }) => owner === version.id && state === 'failed',
  );
  const [first] = failed;
  if (first === undefined) return version;
  const types = failed.map((parameter) => parameter.type).join(', ');
  return makeStoredVersion(services, type, row, `Not searched by in ${types}: ${first.failure ?? ''}`);
}

function makeStoredVersion(
  services: Pick<Services, 'extensionBase' | 'keys'>,
  type: string,
  row: VersionRow,
  failure?: string,
): StoredVersion {
  const id = row.id ?? idAtStart(type, row.body) ?? services.keys.idOf(row.key);
  const author = row.author ?? ANONYMOUS;
  return {
    type,
    id,
    versionId: row.version,
    lastUpdated: row.lastUpdated,
    sequence: row.sequence,
    change: row.change,
    author,
    text:
      row.change === 'delete'
        ? ''
        : toFullText(
            row.body,
            row.metaOffset,
            {
              versionId: row.version,
              lastUpdated: row.lastUpdated,
              sequence: row.sequence,
              author,
              failure,
            },
            services.extensionBase,
          ),
  };
}

/** The id at the beginning of most texts; reading it there is cheaper than decoding the key. */
function idAtStart(type: string, body: string): string | undefined {
  const start = `{"resourceType":"${type}","id":"`;
  return body.startsWith(start) ? body.slice(start.length, body.indexOf('"', start.length)) : undefined;
}
