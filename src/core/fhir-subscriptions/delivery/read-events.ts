import type { Interactions } from '../../api/interactions';
import type { StoredVersion } from '../../storage/read/stored-version';
import type { RequestContext } from '../../context';
import { FhirError } from '../../errors';
import { formatInstant } from '../../fhir/resource-text';
import { visibilityOf } from '../../authorization/visibility';
import { keyOfText } from '../../storage/read/version-row';
import type { StoredEvent } from '../../storage/notifications/events';
import type { SearchServices } from '../../ports';
import { isDatabaseTrouble } from '../../storage/connection/database-error';
import type { NotifiedEvent, NotifiedResource } from '../../api/notification';
import type { NotificationContent } from '../../fhir/subscription/subscription-request';
import type { Topic } from '../../topics/topic';

export interface EventTools {
  readonly services: SearchServices;
  readonly interactions: Pick<Interactions, 'vread' | 'search'>;
  /** The address of the FHIR root of a space, without a slash at the end. */
  rootOf(space: Pick<RequestContext['space'], 'tenant' | 'release'>): string;
}

/** The form in which a reader gets events. */
export interface EventForm {
  readonly content: NotificationContent;
  /** Undefined for the classic kind. */
  readonly topic: Topic | undefined;
  /** Characters of resources after which no further event is read; at least one event is. */
  readonly most: number;
}

/**
 * Reads the changed resources of events with the rights in the context, as they are now: an event whose resource was
 * erased, or which the reader may not see, has no focus. Cost: a read for each event, none for `empty`.
 */
export async function readEvents(
  tools: EventTools,
  context: RequestContext,
  events: readonly StoredEvent[],
  form: EventForm,
): Promise<readonly NotifiedEvent[]> {
  const read: NotifiedEvent[] = [];
  let length = 0;
  for (const event of events) {
    if (length >= form.most) break;
    const one = await readEvent(tools, context, event, form);
    length +=
      (one.focus?.text?.length ?? 0) +
      (one.context ?? []).reduce((sum, { text = '' }) => sum + text.length, 0);
    read.push(one);
  }
  return read;
}

async function readEvent(
  tools: EventTools,
  context: RequestContext,
  { number, made, version }: StoredEvent,
  { content, topic }: EventForm,
): Promise<NotifiedEvent> {
  const timestamp = formatInstant(version?.lastUpdated ?? made);
  if (version === undefined || content === 'empty') return { number, timestamp };
  const { services, interactions } = tools;
  const type = services.definitions(context.space.release).typeName(version.type) ?? '';
  const id = version.id ?? services.keys.idOf(keyOfText(version.key));
  const reference = `${type}/${id}`;
  const fullUrl = `${tools.rootOf(context.space)}/${reference}`;
  const { change } = version;
  if (change === 'delete') {
    const isSeen = await sawDeleted(services, context, type, version);
    return isSeen ? { number, timestamp, focus: { fullUrl, reference, change } } : { number, timestamp };
  }
  const stored = await seen(() => interactions.vread(context, type, id, String(version.version)));
  if (stored === undefined) return { number, timestamp };
  const others = await readContext(tools, context, stored, topic);
  return {
    ...{ number, timestamp },
    focus: {
      ...{ fullUrl, reference, change },
      ...(content === 'full-resource' ? { text: stored.text, version: stored } : {}),
    },
    ...(others.length === 0
      ? {}
      : { context: others.map((one) => toNotified(tools, context, one, content)) }),
  };
}

/** True: the reader could see what was deleted. */
async function sawDeleted(
  services: SearchServices,
  context: RequestContext,
  type: string,
  { type: typeNumber, key, version }: Required<StoredEvent>['version'],
): Promise<boolean> {
  const visibility = visibilityOf(services, context);
  if (visibility === undefined) return true;
  if (!visibility.permissions.allows(type, 'r')) return false;
  const { number: space } = context.space;
  const row = await services.reader.version(space, { type: typeNumber, key: keyOfText(key) }, version);
  return row !== undefined && visibility.sawDeleted(type, 'r', space, row);
}

/** The resources that the topic adds to one of this type, in their current versions. */
async function readContext(
  { interactions }: EventTools,
  context: RequestContext,
  { type, id }: StoredVersion,
  topic: Topic | undefined,
): Promise<readonly StoredVersion[]> {
  const shapes = topic?.shapes.filter((shape) => shape.type === type) ?? [];
  const parameters = shapes.flatMap(({ includes, revIncludes }) => [
    ...includes.map((value) => ['_include', value] as const),
    ...revIncludes.map((value) => ['_revinclude', value] as const),
  ]);
  if (parameters.length === 0) return [];
  const page = await seen(() =>
    interactions.search(context, { type, parameters: [['_id', id], ...parameters] }),
  );
  return page?.included ?? [];
}

function toNotified(
  tools: EventTools,
  { space }: RequestContext,
  { type, id, text }: StoredVersion,
  content: NotificationContent,
): NotifiedResource {
  const reference = `${type}/${id}`;
  return {
    ...{ fullUrl: `${tools.rootOf(space)}/${reference}`, reference },
    ...(content === 'full-resource' ? { text } : {}),
  };
}

/** Undefined: the reader may not see it, or it is gone. */
async function seen<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof FhirError) || isDatabaseTrouble(error)) throw error;
    return undefined;
  }
}

/** Full resources and deletions go in notifications of their own: readers expect a resource in each entry. */
export function untilDeletion(
  events: readonly StoredEvent[],
  content: NotificationContent,
): readonly StoredEvent[] {
  if (content !== 'full-resource') return events;
  const isDeletion = ({ version }: StoredEvent): boolean => version?.change === 'delete';
  const [first] = events;
  const end = first === undefined ? -1 : events.findIndex((event) => isDeletion(event) !== isDeletion(first));
  return end === -1 ? events : events.slice(0, end);
}
