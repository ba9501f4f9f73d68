import type { RequestContext } from '../context';
import { fhirError, type Issue } from '../errors';
import { parseStoredObject } from '../fhir/json';
import { searchAny } from '../search-execution/system-search';
import type { SearchServices } from '../ports';
import { builtInTopic, type Topic } from './topic';
import { isTopicResource, readTopic } from './topic-resource';

/** The most topics of one url that are looked at; versions of a topic have the same. */
const MAX_TOPICS = 50;

/** The resource type whose resources are the topics of tenants. R4 has no type for them. */
export const topicType = (release: RequestContext['space']['release']): string =>
  release === 'r4b' ? 'SubscriptionTopic' : 'Basic';

/**
 * Returns an active topic by its canonical, `url` or `url|version`: one of the server, or of the tenant. Throws
 * ruleViolated where there is none, or this server cannot serve it. Cost: a search for topics of the tenant.
 */
export async function findTopic(
  services: SearchServices,
  context: RequestContext,
  canonical: string,
): Promise<Topic> {
  const { space } = context;
  const builtIn = builtInTopic(canonical, services.definitions(space.release).resourceTypes);
  if (builtIn !== undefined) return builtIn;
  const [url = '', version] = canonical.split('|');
  const faults: Issue[] = [];
  for (const { topic, issues } of await readTopics(services, context, url)) {
    if (topic !== undefined && topic.url === url && (version === undefined || topic.version === version))
      return topic;
    faults.push(...issues);
  }
  const reasons = faults.map(({ diagnostics }) => diagnostics).join('; ');
  const reason =
    faults.length === 0
      ? `An active topic '${canonical}' does not exist; the CapabilityStatement lists those of this server`
      : `The topic '${canonical}' cannot be served: ${reasons}`;
  throw fhirError('ruleViolated', { reason }, 'Subscription.criteria');
}

interface FoundTopic {
  readonly topic: Topic | undefined;
  readonly issues: readonly Issue[];
}

/** Returns the active topics of a tenant, also those that the caller may not read; with a url, only those that may have it. */
export async function readTopics(
  services: SearchServices,
  context: RequestContext,
  url?: string,
): Promise<readonly FoundTopic[]> {
  const { space } = context;
  const { release } = space;
  const { access: _access, ...unrestricted } = context;
  const isOwnType = release === 'r4b';
  const { matches } = await searchAny(services, unrestricted, {
    type: topicType(release),
    parameters: [
      ...(isOwnType
        ? ([['status', 'active'], ...(url === undefined ? [] : [['url', url] as const])] as const)
        : ([['code', 'http://hl7.org/fhir/fhir-types|SubscriptionTopic']] as const)),
      ['_count', String(isOwnType ? MAX_TOPICS : MAX_BASICS)],
    ],
  });
  return matches.flatMap(({ text }): FoundTopic[] => {
    const resource = parseStoredObject(text);
    if (!isTopicResource(resource, release)) return [];
    const read = readTopic(resource, release, services.definitionsOf(space));
    if (!read.isActive) return [];
    if (!('topic' in read))
      return [{ topic: undefined, issues: url === undefined || text.includes(url) ? read.issues : [] }];
    return [{ topic: read.topic, issues: [] }];
  });
}

/** A search cannot find the url of a topic that is an extension of a Basic, so all topics of a tenant are read. */
const MAX_BASICS = 200;
