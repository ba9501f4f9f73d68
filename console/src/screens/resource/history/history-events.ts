/** Who made a version, as the record itself and the audit trail say it. */
import { isObject, objectsOf, textOf, type JsonObject } from '../../../api/json';
import { clientOfReference } from '../../../../../packages/fhir-values/server-meta';
import { authorOf } from '../../../fhir/server-meta';

export interface Address {
  readonly type: string;
  readonly id: string;
}

/** Who acted, and which version it made. */
export interface Actor {
  readonly version: string;
  /** Reference to the person, or the id of an account. */
  readonly person: string | undefined;
}

/** The author of events that the server itself has recorded. */
export const SERVER = 'andiron';
/** The client that wrote a version, from what the server adds to its meta. */
export function clientOf(resource: JsonObject | undefined): string | undefined {
  const reference = textOf(authorOf(resource ?? {})?.['reference']);
  return reference === undefined ? undefined : (clientOfReference(reference) ?? reference);
}

/** What an AuditEvent says about who acted, and on which version. */
export function readEvent(event: JsonObject, { type, id }: Address): Actor | undefined {
  const prefix = `${type}/${id}/_history/`;
  const references = objectsOf(event['entity']).flatMap(({ what }) =>
    isObject(what) ? (textOf(what['reference']) ?? []) : [],
  );
  const version = references.find((reference) => reference.startsWith(prefix))?.slice(prefix.length);
  if (version === undefined) return undefined;
  const agents = objectsOf(event['agent']);
  const human = agents.find((agent) => agent['altId'] === undefined && agent['requestor'] === true);
  const who = isObject(human?.['who']) ? human['who'] : {};
  const identifier = isObject(who['identifier']) ? textOf(who['identifier']['value']) : undefined;
  return { version, person: textOf(who['reference']) ?? identifier };
}

const MINUTE_MS = 60_000;

/**
 * The search for the events of these versions. An event has the time of the server's clock and a version that of the
 * database, so that the minutes around each version are searched, and not all of the time between them.
 */
export function toEventSearch(
  { type, id }: Address,
  versions: readonly { readonly lastUpdated: string }[],
): string {
  const minutes = versions.flatMap(({ lastUpdated }) => {
    const time = Date.parse(lastUpdated);
    return [time - MINUTE_MS, time, time + MINUTE_MS].map(
      (each) => `${new Date(each).toISOString().slice(0, 16)}Z`,
    );
  });
  return `entity=${type}/${id}&action=C,U,D&outcome=0&date=${[...new Set(minutes)].join()}`;
}
