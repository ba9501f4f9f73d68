/** The criteria of a Subscription, ready to be tested against changes. */
import type { RequestContext } from '../context';
import { FhirError, fhirError } from '../errors';
import { loadDefinitions } from '../fhir/definitions';
import { PathError } from '../fhir/path';
import { parseStoredObject } from '../fhir/json';
import type { SearchServices } from '../ports';
import { ChangeFilter } from '../change-feed/change-filter';
import type { PageChanges } from '../change-feed/page-changes';
import type { PageRow } from '../storage/read/version-row';
import { findTopic } from '../topics/find-topic';
import type { SubscriptionFilter, SubscriptionRequest } from '../fhir/subscription/subscription-request';
import { mayFilter, type Interaction, type Topic, type TopicTrigger } from '../topics/topic';
import { holds, holdsPath, parseTopicQuery } from '../topics/topic-criteria';

/** A trigger of the topic, with the filters of the Subscription and the rights of its author. */
interface PlannedTrigger {
  readonly trigger: TopicTrigger;
  readonly filter: ChangeFilter;
  readonly previous: ChangeFilter | undefined;
  readonly current: ChangeFilter | undefined;
}

export interface SubscriptionPlan {
  readonly request: SubscriptionRequest;
  readonly topic: Topic | undefined;
  readonly triggers: readonly PlannedTrigger[];
}

/** A classic Subscription hears of versions that meet its criteria (https://hl7.org/fhir/R4/subscription.html). */
const CLASSIC: ReadonlySet<Interaction> = new Set<Interaction>(['create', 'update']);

/**
 * Plans a Subscription with the rights in the context, which are its author's. Throws ruleViolated with the place of a
 * topic or filter that cannot be served, and forbidden. Cost: that of `findTopic`.
 */
export async function planSubscription(
  services: SearchServices,
  context: RequestContext,
  request: SubscriptionRequest,
): Promise<SubscriptionPlan> {
  const { access: _access, ...unrestricted } = context;
  if (request.criteria !== undefined) {
    const { criteria } = request;
    const filter = placed('Subscription.criteria', () => new ChangeFilter(services, context, criteria));
    const trigger = { type: criteria.type, interactions: CLASSIC, query: undefined, fhirPath: undefined };
    return {
      request,
      topic: undefined,
      triggers: [{ trigger, filter, previous: undefined, current: undefined }],
    };
  }
  const topic = await findTopic(services, unrestricted, request.topic ?? '');
  for (const { type, parameter, expression } of request.filters)
    if (!mayFilter(topic, type, parameter)) {
      const reason = `The topic does not allow the filter '${type === undefined ? '' : `${type}?`}${parameter}'`;
      throw fhirError('ruleViolated', { reason }, expression);
    }
  const triggers = topic.triggers.map((trigger): PlannedTrigger => {
    const { type, query } = trigger;
    const test = (text: string | undefined): ChangeFilter | undefined =>
      text === undefined
        ? undefined
        : placed(
            'Subscription.criteria',
            () => new ChangeFilter(services, unrestricted, { type, parameters: parseTopicQuery(text) }),
          );
    const filters = request.filters.filter((one) => one.type === undefined || one.type === type);
    return {
      trigger,
      filter: filterOf(services, context, type, filters),
      previous: test(query?.previous),
      current: test(query?.current),
    };
  });
  return { request, topic, triggers };
}

function filterOf(
  services: SearchServices,
  context: RequestContext,
  type: string,
  filters: readonly SubscriptionFilter[],
): ChangeFilter {
  const [first] = filters;
  return placed(
    first?.expression ?? 'Subscription.criteria',
    () =>
      new ChangeFilter(services, context, {
        type,
        parameters: filters.map(({ parameter, value }) => [parameter, value] as const),
      }),
  );
}

/** Says where in the Subscription the criteria are that cannot be served. */
function placed(expression: string, make: () => ChangeFilter): ChangeFilter {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof FhirError) || error.key === 'forbidden') throw error;
    throw new FhirError(
      'ruleViolated',
      error.issues.map((issue) => ({ ...issue, expression })),
    );
  }
}

/** The filters of a plan, to be prepared before a page is tested. */
export function filtersOf({ triggers }: SubscriptionPlan): readonly ChangeFilter[] {
  return triggers.flatMap(({ filter, previous, current }) =>
    [filter, previous, current].filter((one) => one !== undefined),
  );
}

/**
 * The changes of a page that are events of the Subscription, with `kindsOf` for the kinds that filters see. Cost: that of
 * the filters; for topics with conditions on two versions, the read of the version before.
 */
export async function eventsOf(
  { triggers }: SubscriptionPlan,
  page: PageChanges,
  kindsOf: (filter: ChangeFilter) => Promise<readonly (string | undefined)[]>,
): Promise<readonly PageRow[]> {
  const events = new Set<PageRow>();
  for (const planned of triggers) {
    const kinds = await kindsOf(planned.filter);
    for (const [index, row] of page.rows.entries()) {
      const kind = kinds[index];
      if (kind !== 'create' && kind !== 'update' && kind !== 'delete') continue;
      if (await isEvent(planned, page, row, kind)) events.add(row);
    }
  }
  return page.rows.filter((row) => events.has(row));
}

/** An update of what did not exist, or was deleted, is a create. Cost: perhaps the read of the version before. */
async function interactionOf(
  { interactions, query }: TopicTrigger,
  page: PageChanges,
  row: PageRow,
  kind: Interaction,
): Promise<Interaction> {
  const areAlike = query === undefined && interactions.has('create') === interactions.has('update');
  if (kind !== 'update' || areAlike) return kind;
  return row.version === 1 || (await page.before(row)) === undefined ? 'create' : 'update';
}

async function isEvent(
  { trigger, previous, current }: PlannedTrigger,
  page: PageChanges,
  row: PageRow,
  kind: Interaction,
): Promise<boolean> {
  const interaction = await interactionOf(trigger, page, row, kind);
  const isHeld = await holds(trigger, interaction, {
    previous: () => previous !== undefined && page.matchedBefore(previous, row),
    current: () => current !== undefined && page.matches(current, row),
  });
  if (!isHeld || trigger.fhirPath === undefined) return isHeld;
  const before = await page.before(row);
  const { text } = kind === 'delete' ? { text: undefined } : await page.stored(row);
  try {
    return holdsPath(loadDefinitions(page.release), trigger.fhirPath, {
      previous: before,
      current: text === undefined ? undefined : parseStoredObject(text),
    });
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    throw fhirError('ruleViolated', {
      reason: `The FHIRPath of the topic cannot be evaluated: ${error.message}`,
    });
  }
}
