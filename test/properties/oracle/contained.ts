/** `_contained` and `_containedType`: matches inside of other resources (search.html#contained). */
import { isObject, listOf, textOf, type JsonObject, type Resource } from './json';
import { parametersOf } from './parameters';
import { containedOf, referenceText } from './reference';
import { BadSearch } from './refusal';
import type { Predicate, Space } from './space';
import { elementsOf } from './values';

/** The kind of a search for contained resources. */
export interface ContainedQuery {
  /** True when stored resources are searched too. */
  readonly withStored: boolean;
  readonly as: 'container' | 'contained';
}

/** The expected matches of a search with `_contained` beside the stored ones. */
export interface ExpectedInside extends ContainedQuery {
  /** `Observation/1`, or `Observation/1#p`; each once, in no order. */
  readonly places: readonly string[];
  /** `must`: it has to be refused with 422 not-supported, `may`: it depends on which resources have index rows. */
  readonly unsupported: 'no' | 'may' | 'must';
}

export const CONTAINED_CONTROLS = ['_contained', '_containedType'];

/** @throws BadSearch for values that there are not. @returns undefined: as without them */
export function readContained(contained: string | undefined, as = 'container'): ContainedQuery | undefined {
  if (as !== 'container' && as !== 'contained') throw new BadSearch(`_containedType=${as}`);
  if (contained === undefined || contained === 'false') return undefined;
  if (contained !== 'true' && contained !== 'both') throw new BadSearch(`_contained=${contained}`);
  return { withStored: contained === 'both', as };
}

/** The targets of `#id` in elements of a resource's reference parameters. */
function referredBy(resource: JsonObject, container: JsonObject): JsonObject[] {
  return parametersOf(textOf(resource['resourceType']) ?? '')
    .filter(({ kind }) => kind === 'reference')
    .flatMap((parameter) => elementsOf(resource, parameter))
    .flatMap(({ value }) => referenceText(value) ?? [])
    .flatMap((text) => {
      const found = text.startsWith('#') ? containedOf(text, container) : undefined;
      return found === undefined ? [] : [found];
    });
}

/** The contained resources that are found: targets of a parameter, and their own targets. */
function foundIn(container: Resource): JsonObject[] {
  const first = referredBy(container, container);
  const found = new Set([...first, ...first.flatMap((resource) => referredBy(resource, container))]);
  return listOf(container['contained'])
    .filter(isObject)
    .filter((resource) => found.has(resource));
}

/** Values without an index row are not searched. The rules do not define how long a long value is. */
const LONG = 100;
/** Any code of a system, as one value of a pair. */
const OPEN_PAIR = /\$.*\|(,|$)|\|\$/;
/** The parts of a media type. */
const OF_MEDIA_TYPE = /(^|\.)contenttype:below$/;
const isOpen = ([name, text]: readonly [string, string]): boolean =>
  /:(text|contains)$/.test(name) ||
  OF_MEDIA_TYPE.test(name) ||
  name === '_filter' ||
  OPEN_PAIR.test(text) ||
  text.length > LONG;

export function expectInside(
  space: Space,
  type: string,
  query: ContainedQuery,
  criteria: readonly (readonly [string, string])[],
  controls: readonly string[],
  compile: (name: string, text: string) => Predicate,
): ExpectedInside {
  const predicates = criteria.map(([name, text]) => {
    const predicate = compile(name, text);
    // Nothing refers to it from outside, and it has no last update of its own.
    return name.startsWith('_has:') || name === '_lastUpdated' ? () => false : predicate;
  });
  const places = space.resources.flatMap((container) => {
    const place = `${container.resourceType}/${container.id}`;
    const inside = foundIn(container)
      .filter(({ resourceType }) => resourceType === type)
      .filter((resource) => predicates.every((predicate) => predicate({ resource, container })))
      .map(({ id }) => `${place}#${textOf(id) ?? ''}`);
    return query.as === 'contained' ? inside : inside.slice(0, 1).map(() => place);
  });
  const isRefused =
    controls.some((name) => name === '_sort' || name === '_offset') ||
    criteria.some(([name]) => name === '_text' || name === '_content');
  return { ...query, places, unsupported: isRefused ? 'must' : criteria.some(isOpen) ? 'may' : 'no' };
}
