/**
 * Reads topics from the resources in which tenants state them: SubscriptionTopic in R4B, Basic with the cross-version
 * extensions of R5 in R4. Source: https://hl7.org/fhir/R4B/subscriptiontopic.html and the topics of
 * http://hl7.org/fhir/uv/subscriptions-backport.
 */
import { toIssue, type ErrorKey, type Issue } from '../errors';
import type { Definitions } from '../fhir/definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '../fhir/json';
import { shorten } from '../fhir/json/fault';
import type { Release } from '../fhir/release';
import { COMPUTED_PARAMETERS } from '../search/criteria';
import { RESULT_PARAMETERS } from '../search/requests/parse-search';
import {
  INTERACTIONS,
  leavesResource,
  type Interaction,
  type Topic,
  type TopicFilter,
  type TopicQuery,
  type TopicShape,
  type TopicTrigger,
} from './topic';
import { parseTopicQuery, topicPathFault, topicQueryType } from './topic-criteria';

const TYPE_SYSTEM = 'http://hl7.org/fhir/fhir-types';
const TOPIC = 'SubscriptionTopic';

/** `isActive`: its status is `active`, so that subscriptions may use it. */
export type ReadTopic =
  | { readonly isActive: boolean; readonly topic: Topic }
  | { readonly isActive: boolean; readonly issues: readonly Issue[] };

/** True for a SubscriptionTopic (R4B), and for a Basic that stands for one (R4). */
export function isTopicResource({ resourceType, code }: JsonObject, release: Release): boolean {
  if (release === 'r4b') return resourceType === TOPIC;
  if (resourceType !== 'Basic' || !isJsonObject(code)) return false;
  return listOf(code['coding']).some(
    (coding) => isJsonObject(coding) && coding['system'] === TYPE_SYSTEM && coding['code'] === TOPIC,
  );
}

/**
 * Returns the topic of a resource for which `isTopicResource` is true, or the reasons why this server cannot serve it,
 * each with its place. `definitions`: with the tenant's own search parameters, if it has any. Cost: below a
 * millisecond, and some for a trigger of all resource types.
 */
export function readTopic(resource: JsonObject, release: Release, definitions: Definitions): ReadTopic {
  const root = release === 'r4b' ? elementOf(resource, TOPIC) : extensionsOf(resource, 'Basic', '');
  return new TopicReader(definitions).read(root);
}

/** A value and its FHIRPath in the resource. */
interface LocatedValue<Value> {
  readonly value: Value;
  readonly place: string;
}

/** An element of a topic in either form. */
interface TopicElement {
  readonly place: string;
  /** All values of an element without children. */
  values(name: string): readonly LocatedValue<JsonValue>[];
  /** All repetitions of an element with children. */
  children(name: string): readonly TopicElement[];
}

function elementOf(json: JsonObject, place: string): TopicElement {
  const values = (name: string): LocatedValue<JsonValue>[] => {
    const value = json[name];
    if (value === undefined) return [];
    if (!Array.isArray(value)) return [{ value, place: `${place}.${name}` }];
    return value.map((one, index) => ({ value: one, place: `${place}.${name}[${index}]` }));
  };
  return {
    place,
    values,
    children: (name) =>
      values(name).flatMap((child) =>
        isJsonObject(child.value) ? [elementOf(child.value, child.place)] : [],
      ),
  };
}

/** Published examples have 4.3 for some extensions and 5.0 for others. */
const CROSS_VERSION =
  /^http:\/\/hl7\.org\/fhir\/\d+\.\d+\/StructureDefinition\/extension-SubscriptionTopic\.(.+)$/;

/** `path`: the path of the element in SubscriptionTopic, '' for the resource. */
function extensionsOf(json: JsonObject, place: string, path: string): TopicElement {
  const found = (name: string): LocatedValue<JsonObject>[] => {
    const full = path === '' ? name : `${path}.${name}`;
    // The status is a modifier extension.
    return ['extension', 'modifierExtension'].flatMap((member) =>
      listOf(json[member]).flatMap((extension, index) => {
        if (!isJsonObject(extension)) return [];
        const url = textOf(extension['url']) ?? '';
        const isNamed = CROSS_VERSION.exec(url)?.[1] === full || (path !== '' && url === name);
        return isNamed ? [{ value: extension, place: `${place}.${member}[${index}]` }] : [];
      }),
    );
  };
  return {
    place,
    values: (name) =>
      found(name).flatMap((one) => {
        const member = Object.keys(one.value).find((key) => /^value[A-Z]/.test(key));
        const value = member === undefined ? undefined : one.value[member];
        return value === undefined ? [] : [{ value, place: `${one.place}.value` }];
      }),
    children: (name) =>
      found(name).map((one) => extensionsOf(one.value, one.place, path === '' ? name : `${path}.${name}`)),
  };
}

const TYPE_URL = /^http:\/\/hl7\.org\/fhir\/StructureDefinition\//;

/** Presentation and the other parameters that say nothing about a resource. */
const NO_CRITERIA: ReadonlySet<string> = new Set([
  ...RESULT_PARAMETERS.map(({ name }) => name),
  ...['_format', '_pretty', '_query', '_cursor'],
]);

/** R5 calls the prefixes comparators; a filter without a modifier may have any of them. */
const SEARCH_MODIFIERS: ReadonlySet<string> = new Set([
  ...['above', 'below', 'in', 'not-in', 'of-type'],
  ...[
    'missing',
    'exact',
    'contains',
    'not',
    'text',
    'type',
    'identifier',
    'code-text',
    'text-advanced',
    'iterate',
  ],
]);

class TopicReader {
  private readonly issues: Issue[] = [];

  constructor(private readonly definitions: Definitions) {}

  read(root: TopicElement): ReadTopic {
    const url = this.text(root, 'url');
    const status = this.text(root, 'status');
    const version = this.text(root, 'version');
    const title = this.text(root, 'title') ?? this.text(root, 'name');
    if (url === undefined) this.require('A topic must have a url: subscriptions refer to it', root);
    if (status === undefined) this.require('A topic must have a status', root);
    const topic = {
      url: url ?? '',
      version,
      title: title ?? url ?? '',
      triggers: this.readTriggers(root),
      filters: root.children('canFilterBy').flatMap((filter) => this.readFilters(filter)),
      shapes: root.children('notificationShape').flatMap((shape) => this.readShapes(shape)),
      isBuiltIn: false,
    };
    const { issues } = this;
    const isActive = status === 'active';
    return issues.length === 0 ? { isActive, topic } : { isActive, issues };
  }

  private readTriggers(root: TopicElement): readonly TopicTrigger[] {
    const triggers = root.children('resourceTrigger');
    const [event] = root.children('eventTrigger');
    if (triggers.length === 0 && event !== undefined)
      this.refuse('Event triggers are not supported: a topic must have a resourceTrigger', event.place);
    else if (triggers.length === 0) this.require('A topic must have a resourceTrigger', root);
    return triggers.flatMap((trigger) => this.readTrigger(trigger));
  }

  private readTrigger(element: TopicElement): readonly TopicTrigger[] {
    const types = this.readTypes(element);
    if (types === undefined) this.require('A resourceTrigger must have a resource', element);
    if (types === undefined || types.length === 0) return [];
    const interactions = this.readInteractions(element);
    const { query, fhirPath } = this.readCriteria(element, types);
    return types.map((type) => ({ type, interactions, query, fhirPath }));
  }

  /** An element that is missing does not restrict the interactions. */
  private readInteractions(element: TopicElement): ReadonlySet<Interaction> {
    const interactions = new Set<Interaction>();
    for (const { value, place } of element.values('supportedInteraction')) {
      const interaction = INTERACTIONS.find((each) => each === value);
      if (interaction !== undefined) interactions.add(interaction);
      else this.refuse('A supportedInteraction must be create, update or delete', place, 'invalidValue');
    }
    return interactions.size === 0 ? new Set(INTERACTIONS) : interactions;
  }

  /**
   * A search and FHIRPath in one trigger are two forms of one condition (build.fhir.org/subscriptiontopic.html
   * #resource-value-tests). The search is used, as FHIR's own example "admission" needs it: its FHIRPath is never true
   * for a create. FHIRPath is used where the server cannot evaluate the search.
   */
  private readCriteria(
    element: TopicElement,
    types: readonly string[],
  ): Pick<TopicTrigger, 'query' | 'fhirPath'> {
    const [criteria, second] = element.children('queryCriteria');
    if (second !== undefined) this.refuseSecond('queryCriteria', second.place);
    const [path] = this.one(element, 'fhirPathCriteria');
    const expression = path === undefined ? undefined : textOf(path.value);
    const pathFault = expression === undefined ? undefined : topicPathFault(this.definitions, expression);
    const faults = criteria === undefined ? [] : this.queryFaults(criteria, types);
    const hasQuery = criteria !== undefined && faults.length === 0;
    if (path !== undefined && pathFault !== undefined && !(hasQuery && pathFault.isUnsupported)) {
      const reason = pathFault.isUnsupported
        ? `The expression cannot be used here: ${pathFault.reason}`
        : `The expression is not FHIRPath: ${pathFault.reason}`;
      this.refuse(reason, path.place, pathFault.isUnsupported ? 'notSupported' : 'invalidValue');
    }
    const query = criteria === undefined ? undefined : this.readQuery(criteria);
    if (hasQuery) return { query, fhirPath: undefined };
    if (expression === undefined || pathFault !== undefined) this.issues.push(...faults);
    return { query: undefined, fhirPath: expression };
  }

  /**
   * Neither R4B nor R5 defines a result for a create or delete without `resultForCreate` or `resultForDelete`. The test
   * that cannot be made then decides nothing: it passes if both must hold, and fails if one is enough.
   */
  private readQuery(element: TopicElement): TopicQuery {
    const [both] = this.one(element, 'requireBoth');
    const requireBoth = both?.value === true;
    return {
      previous: this.text(element, 'previous'),
      current: this.text(element, 'current'),
      resultForCreate: this.readResult(element, 'resultForCreate', requireBoth),
      resultForDelete: this.readResult(element, 'resultForDelete', requireBoth),
      requireBoth,
    };
  }

  private readResult(element: TopicElement, name: string, requireBoth: boolean): 'passes' | 'fails' {
    const [result] = this.one(element, name);
    if (result?.value === 'test-passes') return 'passes';
    if (result?.value === 'test-fails') return 'fails';
    if (result !== undefined)
      this.refuse(`A ${name} must be test-passes or test-fails`, result.place, 'invalidValue');
    return requireBoth ? 'passes' : 'fails';
  }

  private queryFaults(criteria: TopicElement, types: readonly string[]): readonly Issue[] {
    return ['previous', 'current'].flatMap((name) => {
      const [query] = criteria.values(name);
      const text = query === undefined ? undefined : textOf(query.value);
      if (query === undefined || text === undefined) return [];
      const reasons = parseTopicQuery(text).flatMap(
        ([parameter]) => this.parameterFault(parameter, types) ?? [],
      );
      const type = topicQueryType(text);
      if (type !== undefined && !types.includes(type))
        reasons.unshift(`The query is for ${shorten(type)}, which is not the resource of the trigger`);
      return reasons.map((reason) => toIssue('notSupported', { reason }, query.place));
    });
  }

  private parameterFault(parameter: string, types: readonly string[]): string | undefined {
    const name = shorten(parameter);
    if (leavesResource(parameter))
      return `'${name}' needs other resources: a topic cannot have chains and _has`;
    const code = parameter.replace(/:.*$/, '');
    if (NO_CRITERIA.has(code)) return `'${name}' says nothing about a resource`;
    if (COMPUTED_PARAMETERS.includes(code)) return undefined;
    const type = types.find((each) => !this.definitions.searchParameters(each).has(code));
    return type === undefined ? undefined : `'${name}' is not a search parameter of ${type}`;
  }

  private readFilters(element: TopicElement): readonly TopicFilter[] {
    const parameter = this.text(element, 'filterParameter');
    const types = this.readTypes(element);
    if (parameter === undefined) {
      this.require('A canFilterBy must have a filterParameter', element);
      return [];
    }
    // R5 has the prefixes in an element of their own; R4B has them, and `=`, among the modifiers.
    const modes = [...element.values('modifier'), ...element.values('comparator')];
    const modifiers =
      modes.length === 0
        ? undefined
        : modes.flatMap(({ value }) =>
            typeof value === 'string' && SEARCH_MODIFIERS.has(value) ? [value] : [],
          );
    return (types ?? [undefined]).map((type) => ({ type, parameter, modifiers }));
  }

  private readShapes(element: TopicElement): readonly TopicShape[] {
    const types = this.readTypes(element);
    if (types === undefined) this.require('A notificationShape must have a resource', element);
    const textsOf = (name: string): string[] =>
      element.values(name).flatMap(({ value }) => textOf(value) ?? []);
    const includes = textsOf('include');
    const revIncludes = textsOf('revInclude');
    return (types ?? []).map((type) => ({ type, includes, revIncludes }));
  }

  /** Returns the concrete types that `resource` means, several for `Resource`; undefined if it is missing. */
  private readTypes(element: TopicElement): readonly string[] | undefined {
    const { definitions } = this;
    const [resource] = this.one(element, 'resource');
    if (resource === undefined) return undefined;
    const name = (textOf(resource.value) ?? '').replace(TYPE_URL, '');
    if (definitions.isResourceType(name)) return [name];
    const structure = definitions.structure(name);
    if (structure?.kind === 'resource' && structure.isAbstract)
      return definitions.resourceTypes.filter((type) => definitions.conformsTo(type, name));
    const reason = `'${shorten(name)}' is not a resource type of FHIR ${definitions.fhirVersion}`;
    this.refuse(reason, resource.place);
    return [];
  }

  private text(element: TopicElement, name: string): string | undefined {
    const [found] = this.one(element, name);
    return found === undefined ? undefined : textOf(found.value);
  }

  /** Returns the first value of an element that must not repeat, which extensions can. */
  private one(element: TopicElement, name: string): readonly LocatedValue<JsonValue>[] {
    const values = element.values(name);
    const [, second] = values;
    if (second !== undefined) this.refuseSecond(name, second.place);
    return values;
  }

  private refuseSecond(name: string, place: string): void {
    this.refuse(`The element ${name} must not repeat`, place, 'invalidValue');
  }

  private require(reason: string, { place }: TopicElement): void {
    this.refuse(reason, place, 'requiredMissing');
  }

  private refuse(reason: string, place: string, key: ErrorKey = 'notSupported'): void {
    this.issues.push(toIssue(key, { reason }, place));
  }
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
