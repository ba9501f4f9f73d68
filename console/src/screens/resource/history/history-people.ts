/** Who made the versions of a record: the client of each, and the person where the caller may read the audit trail. */
import { useQuery } from '@tanstack/react-query';
import { Failure } from '../../../api/failure';
import { searchRecords, type RecordVersion } from '../../../api/records';
import type { Space } from '../../../place';
import { clientOf, readEvent, SERVER, toEventSearch, type Actor, type Address } from './history-events';
import { clientOfReference } from '../../../../../packages/fhir-values/server-meta';

/** Who made a version. */
export interface Author {
  /** Id of the client. */
  readonly client: string;
  /** Reference to the person (`Practitioner/1`), or the id of an account. */
  readonly person: string | undefined;
  /** It came with the server. */
  readonly isOfServer: boolean;
}

/** Events are read up to this many pages: other records of a patient may have changed in the same minutes. */
const PAGES = 5;
const PAGE = 200;

/** The actors of these versions by version, from the audit trail; those that it does not have are absent. */
async function readActors(
  space: Space,
  address: Address,
  versions: readonly RecordVersion[],
): Promise<ReadonlyMap<string, Actor>> {
  const query = `${toEventSearch(address, versions)}&_sort=-date`;
  const wanted = new Set(versions.map(({ versionId }) => versionId));
  const actors = new Map<string, Actor>();
  let after: string | undefined;
  for (let page = 0; page < PAGES && actors.size < wanted.size; page++) {
    const { matches, next } = await searchRecords(
      space,
      { type: 'AuditEvent', query },
      { first: PAGE, after },
    );
    for (const event of matches) {
      // Clients may record events of their own, which prove nothing.
      if (clientOf(event) !== SERVER) continue;
      const actor = readEvent(event, address);
      if (actor !== undefined && wanted.has(actor.version)) actors.set(actor.version, actor);
    }
    if (next === undefined) break;
    after = next;
  }
  return actors;
}

/** Refusals are answers: most people may not read the audit trail. */
async function orNothing<Value>(read: Promise<Value>): Promise<Value | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

/** Who made each of these versions of one record. */
export function useAuthors(
  space: Space,
  address: Address,
  versions: readonly RecordVersion[],
): (version: RecordVersion) => Author {
  const ids = versions.map(({ versionId }) => versionId);
  const actors = useQuery({
    queryKey: ['authors', space, address.type, address.id, ids],
    queryFn: () => orNothing(readActors(space, address, versions)),
    enabled: ids.length > 0,
    placeholderData: (before) => before,
    staleTime: Infinity,
    retry: false,
  });
  return ({ author, versionId, versionSequence }) => ({
    client: clientOfReference(author) ?? author,
    person: actors.data?.get(versionId)?.person,
    isOfServer: versionSequence === 0,
  });
}
