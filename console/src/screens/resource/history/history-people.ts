/** Who made the versions of a record: the client of each, and the person where the caller may read the audit trail. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { readClient } from '../../../api/administration';
import { Failure } from '../../../api/failure';
import { searchRecords, type RecordVersion } from '../../../api/records';
import type { Space } from '../../../place';
import { clientOf, readEvent, SERVER, toEventSearch, type Actor, type Address } from './history-events';
import { clientOfReference } from '../../../../../packages/fhir-values/server-meta';

/** Who made a version. */
export interface Author {
  /** Id of the client. */
  readonly client: string;
  /** Name of the client, where the caller may read it. */
  readonly clientName: string | undefined;
  /** Reference to the person (`Practitioner/1`), or the id of an account. */
  readonly person: string | undefined;
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

/** Refusals are answers: most people may not read the audit trail or the clients. */
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
  const clientAt = ({ author }: RecordVersion): string => clientOfReference(author) ?? author;
  const clients = [...new Set(versions.map(clientAt))];
  const names = useQueries({
    queries: clients.map((client) => ({
      queryKey: ['client-name', space.tenant, client],
      queryFn: async () => (await orNothing(readClient(space.tenant, client)))?.name ?? null,
      enabled: client !== ANONYMOUS,
      staleTime: 300_000,
      retry: false,
    })),
  });
  return (version) => {
    const client = clientAt(version);
    return {
      client,
      clientName: names[clients.indexOf(client)]?.data ?? undefined,
      person: actors.data?.get(version.versionId)?.person,
    };
  };
}

/** The client of requests without credentials, in open mode. */
export const ANONYMOUS = 'anonymous';
