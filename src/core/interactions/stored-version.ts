import type { StoredVersion } from '../api';
import { toFullText } from '../fhir/resource-text';
import type { Services } from '../services';
import type { VersionRow } from '../storage/version-row';

/** ClientApplication of requests without credentials; stored as null. */
export const ANONYMOUS = 'anonymous';

/** A row of the tables as what is sent: the text with the server's part of meta joined in. Made once for each row. */
export function toStoredVersion(services: Services, type: string, row: VersionRow): StoredVersion {
  return (row.answered ??= makeStoredVersion(services, type, row));
}

function makeStoredVersion(services: Services, type: string, row: VersionRow): StoredVersion {
  const id = row.id ?? idAtStart(type, row.body) ?? services.keys.idOf(row.key);
  return {
    type,
    id,
    versionId: row.version,
    lastUpdated: row.lastUpdated,
    sequence: row.sequence,
    change: row.change,
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
              author: row.author ?? ANONYMOUS,
            },
            services.extensionBase,
          ),
  };
}

/** Most texts begin with type and id: cheaper to read there than to make again from the key. */
function idAtStart(type: string, body: string): string | undefined {
  const start = `{"resourceType":"${type}","id":"`;
  return body.startsWith(start) ? body.slice(start.length, body.indexOf('"', start.length)) : undefined;
}
