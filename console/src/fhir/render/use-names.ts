/** Titles of extensions, names of records and of applications, read once and kept. */
import { useQuery } from '@tanstack/react-query';
import { readClientName } from '../../api/administration';
import { authorNameOf } from '../../api/author-names';
import { textOf, type JsonObject } from '../../api/json';
import { useAdministrationPath } from '../../layout/use-administration';
import { ownAdministrationPath, type Space } from '../../place';
import { texts } from '../../texts';
import { readExtensionTitle, type TypeDefinition } from '../definitions';
import { headlineOf } from '../headline';
import { parseReference } from '../reference';
import { nameOfRecord, type RecordName } from '../reference-names';
import { clientOfReference } from '../../../../packages/fhir-values/server-meta';

/** The title of an extension; undefined until it is read, and where there is none. */
export function useExtensionTitle(space: Space, url: string): string | undefined {
  const { data } = useQuery({
    queryKey: ['extension-title', space, url],
    queryFn: async () => (await readExtensionTitle(space, url)) ?? null,
    enabled: /^https?:/.test(url),
    staleTime: Infinity,
    gcTime: Infinity,
    retry: false,
  });
  return data ?? undefined;
}

const FRESH_MS = 300_000;

/** The name of the record `Type/id`; undefined until it is read. */
export function useRecordName(space: Space, key: string | undefined): RecordName | undefined {
  const { data } = useQuery({
    queryKey: ['record-name', space, key],
    queryFn: () => (key === undefined ? null : nameOfRecord(space, key)),
    enabled: key !== undefined,
    staleTime: FRESH_MS,
    retry: false,
  });
  return data ?? undefined;
}

/** The words of a name; undefined: there are none, or not yet. */
export function wordsOf(name: RecordName | undefined): string | undefined {
  return name?.state === 'named' ? name.name : undefined;
}

/**
 * What a record is called; one that is called like the record that it refers to has the name of that. Undefined: the record
 * does not say it.
 */
export function useHeadline(
  space: Space,
  record: JsonObject,
  definition?: TypeDefinition,
): string | undefined {
  const headline = headlineOf(record, definition);
  const target = parseReference(headline ?? '', '');
  const name = useRecordName(space, target.kind === 'record' ? headline : undefined);
  return wordsOf(name) ?? headline;
}

/** Ids of applications that have an account. What the server writes itself, such as the examples of a quick start, has another. */
const OF_ACCOUNT = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|andiron-console)$/;

/** The client of requests without credentials, in open mode. */
export const ANONYMOUS = 'anonymous';

/**
 * The name of an application: that which came with a record, else what the administration says, which only administrators
 * may read; others get its id, as such. Undefined: there is no application.
 */
export function useClientName(space: Space, client: string | undefined): string | undefined {
  const administration = useAdministrationPath(space);
  const known = client === undefined ? undefined : authorNameOf(space.tenant, client);
  const isOwn = administration === ownAdministrationPath(space.tenant);
  const { data } = useQuery({
    queryKey: ['client-name', space.tenant, client, isOwn],
    queryFn: () => (client === undefined ? null : readClientName(space.tenant, client, isOwn)),
    enabled:
      client !== undefined && OF_ACCOUNT.test(client) && known === undefined && administration !== undefined,
    staleTime: FRESH_MS,
    retry: false,
  });
  if (client === undefined) return undefined;
  return client === ANONYMOUS ? texts.record.anonymous : (known ?? data ?? texts.record.application(client));
}

/** The client that a reference of the server names, in its address or in its words; undefined: it names something else. */
export function clientIn(reference: JsonObject | undefined): string | undefined {
  const words = [reference?.['reference'], reference?.['display']].map((each) => textOf(each) ?? '');
  return words.map(clientOfReference).find((client) => client !== undefined);
}

/** Who wrote a version, from what the server says in its metadata; '': it does not say it. */
export function useAuthorName(space: Space, author: JsonObject | undefined): string {
  const [text, display] = [textOf(author?.['reference']) ?? '', textOf(author?.['display'])];
  const client = clientIn(author);
  const isRecord = parseReference(text, '').kind === 'record';
  const clientName = useClientName(space, client);
  const name = useRecordName(space, isRecord && display === undefined ? text : undefined);
  return clientName ?? display ?? wordsOf(name) ?? text;
}
