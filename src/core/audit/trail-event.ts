/** AuditEvents as rows of a trail. Pure. */
import type { TrailAgent, TrailEvent, TrailOutcome } from '../api/audit-trail';
import { isJsonObject, type JsonObject, type JsonValue } from '../fhir/json';
import { clientOfReference } from '../../../packages/fhir-values/server-meta';
import { SERVER_TAG } from '../preparation/audit-event-tag';

/** References and characters of a row. */
const MOST_LISTED = 20;
const LONGEST_QUERY = 1_000;
/** The role of patients (http://terminology.hl7.org/CodeSystem/object-role). */
const PATIENT = '1';

/** Names of clients and accounts by id, and of people also by their reference. */
export interface TrailNames {
  readonly clients: ReadonlyMap<string, string>;
  readonly people: ReadonlyMap<string, string>;
}

const at = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  isJsonObject(value) ? value[name] : undefined;
const textOf = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
const objects = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

/** Returns the row of an event, which a client may have written. */
export function toTrailEvent(event: JsonObject, names: TrailNames): TrailEvent {
  const entities = objects(event['entity']);
  const referencesOf = (isOfPatients: boolean): readonly string[] =>
    entities
      .filter((entity) => (at(entity['role'], 'code') === PATIENT) === isOfPatients)
      .flatMap((entity) => textOf(at(entity['what'], 'reference')) ?? []);
  const queries = entities.flatMap((entity) => textOf(entity['query']) ?? []).map(decode);
  const requests = entities
    .filter((entity) => at(entity['what'], 'reference') === undefined)
    .flatMap((entity) => textOf(at(at(entity['what'], 'identifier'), 'value')) ?? []);
  const [subtype] = objects(event['subtype']);
  const kind = subtype ?? event['type'];
  const patients = referencesOf(true);
  const resources = referencesOf(false);
  return {
    id: textOf(event['id']) ?? '',
    recorded: textOf(event['recorded']) ?? '',
    action: textOf(event['action']) ?? '',
    interaction: textOf(at(kind, 'display')) ?? textOf(at(kind, 'code')) ?? '',
    outcome: outcomeOf(textOf(event['outcome'])),
    reason: textOf(event['outcomeDesc']),
    ...agentsOf(objects(event['agent']), names),
    patients: patients.slice(0, MOST_LISTED),
    resources: resources.slice(0, MOST_LISTED),
    more: [patients, resources].reduce((sum, { length }) => sum + Math.max(0, length - MOST_LISTED), 0),
    query: queries[0]?.slice(0, LONGEST_QUERY),
    request: requests[0],
    isOfServer: objects(at(event['meta'], 'tag')).some(
      (tag) => tag['system'] === SERVER_TAG['system'] && tag['code'] === SERVER_TAG['code'],
    ),
    times: 1,
  };
}

function outcomeOf(code: string | undefined): TrailOutcome {
  if (code === undefined || code === '0') return 'success';
  return code === '4' ? 'refused' : 'failed';
}

/** The first client, and the first person, of the agents of an event. */
function agentsOf(
  agents: readonly JsonObject[],
  { clients, people }: TrailNames,
): Pick<TrailEvent, 'client' | 'person' | 'address'> {
  let client: TrailAgent | undefined;
  let person: TrailAgent | undefined;
  for (const agent of agents) {
    const who = agent['who'];
    const display = textOf(at(who, 'display'));
    const named = display === undefined ? undefined : clientOfReference(display);
    if (named !== undefined) client ??= { id: named, name: clients.get(named) };
    else {
      const reference = textOf(at(who, 'reference')) ?? textOf(at(at(who, 'identifier'), 'value'));
      const id = reference ?? textOf(agent['altId']) ?? display;
      if (id !== undefined) person ??= { id, name: people.get(id) ?? textOf(agent['name']) };
    }
  }
  const address = agents.flatMap((agent) => textOf(at(agent['network'], 'address')) ?? [])[0];
  return { client, person, address };
}

/** Base64 of UTF-8, as FHIR has queries. */
function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}

/**
 * Returns one row for alike events: of the same caller, from the same address, with the same request and outcome. The rows have the
 * order of the latest of their events. Events that are rows already can be given again.
 */
export function foldEvents(events: readonly TrailEvent[]): readonly TrailEvent[] {
  const rows = new Map<string, TrailEvent>();
  for (const event of events) {
    const key = keyOf(event);
    const row = rows.get(key);
    rows.set(key, row === undefined ? event : join(row, event));
  }
  return [...rows.values()];
}

/** A request without an address, such as a read, is known by what was accessed. */
function keyOf(event: TrailEvent): string {
  const { client, person, address, action, interaction, reason, outcome, query } = event;
  const request = query ?? [...event.resources, ...event.patients];
  const who = [client?.id ?? null, person?.id ?? null, address ?? null, event.isOfServer];
  return JSON.stringify([...who, action, interaction, outcome, reason ?? null, request]);
}

function join(row: TrailEvent, earlier: TrailEvent): TrailEvent {
  const [patients, resources] = (['patients', 'resources'] as const).map((name) => [
    ...new Set([...row[name], ...earlier[name]]),
  ]) as [string[], string[]];
  const left = [patients, resources].reduce((sum, { length }) => sum + Math.max(0, length - MOST_LISTED), 0);
  return {
    ...row,
    patients: patients.slice(0, MOST_LISTED),
    resources: resources.slice(0, MOST_LISTED),
    more: Math.max(row.more, earlier.more) + left,
    times: row.times + earlier.times,
    first: earlier.first ?? earlier.recorded,
  };
}
