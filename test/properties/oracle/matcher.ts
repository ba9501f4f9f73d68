/** The oracle: the matches of a search, resource by resource, by the rules alone. */
import { chainPredicate } from './chain';
import { isWide } from './chain-width';
import { compartmentPredicate, compartmentTypes, readPlace } from './compartment';
import { compositePredicate } from './composite';
import { CONTAINED_CONTROLS, expectInside, readContained, type ExpectedInside } from './contained';
import { elementTest, versionedUrl } from './criterion';
import { hasPredicate } from './has';
import { included, identityOf, readInclude, type Include } from './include';
import { filterPredicate } from './filter';
import type { Resource } from './json';
import { listPredicate } from './list';
import { missingPredicate } from './missing';
import { wordsPredicate } from './narrative';
import { nearPredicate } from './near';
import { findParameter } from './parameters';
import { withoutNamedQuery } from './named-query';
import { alternativesOf } from './query-text';
import { BadSearch, Unclear } from './refusal';
import { compareBy, describeKeys, readSort } from './sort';
import { alone, type Predicate, type Space } from './space';
import { elementsOf } from './values';
import { goesThroughVersions } from './version-warning';

const NEGATIVE = ['not', 'not-in'];

/** The test of one parameter and its values. @throws BadSearch */
export function compile(space: Space, type: string, name: string, text: string): Predicate {
  if (name.startsWith('_has:')) return hasPredicate(space, type, name, text, compile);
  const point = name.indexOf('.');
  if (point !== -1) {
    return chainPredicate(space, type, name.slice(0, point), name.slice(point + 1), text, compile);
  }
  if (name === '_list') return listPredicate(space, text);
  if (name === '_text' || name === '_content') return wordsPredicate(name, text);
  if (name === '_filter') return filterPredicate(space, type, text);
  const [code = '', modifier = '', ...more] = name.split(':');
  const parameter = findParameter(type, code);
  if (parameter === undefined || more.length > 0) throw new BadSearch(`${type} has no parameter ${name}`);
  if (modifier === 'missing') return ofWhole(code, missingPredicate(parameter, text));
  if (parameter.kind === 'composite') return compositePredicate(space, type, parameter, modifier, text);
  if (parameter.kind === 'special') {
    if (modifier !== '') throw new BadSearch(`:${modifier} of ${code}`);
    const circles = alternativesOf(text).map(nearPredicate);
    return (item) => circles.some((circle) => circle(item));
  }
  if (code === 'url' && modifier === '') return urlPredicate(text);
  const tests = alternativesOf(text).map((alternative) =>
    elementTest(space, type, parameter, modifier, alternative),
  );
  const meetsAny = ofWhole(code, ({ resource }) =>
    elementsOf(resource, parameter).some((element) => tests.some((test) => test(element))),
  );
  return NEGATIVE.includes(modifier) ? (item) => !meetsAny(item) : meetsAny;
}

/** The rules do not define whether a contained resource can be found by its id. */
const ofWhole =
  (code: string, test: Predicate): Predicate =>
  (item) => {
    if (code === '_id' && item.resource !== item.container)
      throw new Unclear('the id of a contained resource');
    return test(item);
  };

/** `url` of a canonical resource, `|version` split. */
function urlPredicate(text: string): Predicate {
  const alternatives = alternativesOf(text).map((alternative) => {
    const versioned = versionedUrl(alternative);
    return versioned ?? { url: alternative.replace(/\\(.)/g, '$1'), version: undefined };
  });
  return ({ resource }) =>
    alternatives.some(
      ({ url, version }) =>
        resource['url'] === url && (version === undefined || resource['version'] === version),
    );
}

/** The expected answer of a search; undefined for one that must be refused with 400. */
export interface Expected {
  /** True when a chain goes through so many types that the server may answer 422 too-costly. */
  readonly mayBeTooCostly: boolean;
  /** The contained matches; undefined where they are not searched. */
  readonly inside: ExpectedInside | undefined;
  /** In no order. */
  readonly matches: readonly Resource[];
  /** Below 0 where the first must come before the second, 0 where either may. */
  compare(one: Resource, other: Resource): number;
  /** The sort values of a resource, for messages. */
  describe(resource: Resource): string;
  /** True when a page of these matches must warn that a chain used the current version of a resource. */
  warnsOfVersions(page: readonly Resource[]): boolean;
  /** The included resources of a page of these matches: `Type/id/_history/version`. */
  includedWith(page: readonly Resource[]): string[];
}

const CONTROLS = ['_count', '_total', '_offset', '_format', '_cursor', ...CONTAINED_CONTROLS];

/**
 * @param place a type, a compartment and type such as `Patient/1/Observation`; undefined: all types, or those of `_type`
 * @param query the text behind the question mark
 */
export function search(space: Space, place: string | undefined, query: string): Expected | undefined {
  try {
    return answer(space, place, query);
  } catch (error) {
    if (error instanceof BadSearch) return undefined;
    throw error;
  }
}

function answer(space: Space, place: string | undefined, query: string): Expected {
  const compartment = readPlace(place ?? '');
  const type = compartment === undefined ? place : compartment.type;
  const queryPairs = [...new URLSearchParams(query)].filter(([name, text]) => name !== '_' && text !== '');
  const pairs = withoutNamedQuery(type, queryPairs);
  const valuesOf = (wanted: string): string[] =>
    pairs.flatMap(([name, text]) => (name === wanted ? [text] : []));
  const types = type === undefined ? typesOf(space, compartment?.compartment, valuesOf('_type')) : [type];
  const contained = readContained(valuesOf('_contained')[0], valuesOf('_containedType')[0]);
  if (contained !== undefined && type === undefined) throw new BadSearch('_contained is asked of one type');
  const includes: Include[] = [];
  const criteria: (readonly [string, string])[] = [];
  for (const [name, text] of pairs) {
    if (/^_(rev)?include(:|$)/.test(name)) includes.push(readInclude(name, text));
    else if (name !== '_sort' && name !== '_type' && !CONTROLS.includes(name)) criteria.push([name, text]);
  }
  const keys = valuesOf('_sort').flatMap((text) => readSort(types, text));
  const limits = compartment === undefined ? [] : [compartment];
  const predicates = new Map(
    types.map((one) => [
      one,
      [
        ...limits.map((limit) => compartmentPredicate(space, limit.compartment, limit.id, one)),
        ...criteria.map(([name, text]) => compileOfSeveral(space, types, one, name, text)),
      ],
    ]),
  );
  const isStored = contained?.withStored !== false;
  const matches = space.resources.filter(
    (resource) =>
      isStored &&
      predicates.get(resource.resourceType)?.every((predicate) => predicate(alone(resource))) === true,
  );
  return {
    matches,
    inside:
      contained === undefined || type === undefined
        ? undefined
        : expectInside(
            space,
            type,
            contained,
            criteria,
            pairs.map(([name]) => name),
            (name, text) => compile(space, type, name, text),
          ),
    mayBeTooCostly: types.some((one) => criteria.some((criterion) => isWide(space.release, one, criterion))),
    compare: (one, other) => compareBy(keys, one, other, space.root),
    describe: (resource) => describeKeys(keys, resource, space.root),
    warnsOfVersions: (page) => criteria.some((one) => goesThroughVersions(space, one, page, compile)),
    includedWith: (page) => included(space, includes, page).map(identityOf),
  };
}

/**
 * The rules do not define the case that a type has the parameter without the rest of the criterion, and another type
 * has both.
 */
function compileOfSeveral(
  space: Space,
  types: readonly string[],
  type: string,
  name: string,
  text: string,
): Predicate {
  try {
    return compile(space, type, name, text);
  } catch (error) {
    const [code = ''] = /^[\w-]+/.exec(name) ?? [];
    const haveIt = types.every((one) => findParameter(one, code) !== undefined);
    if (types.length > 1 && haveIt && error instanceof BadSearch) throw new Unclear(error.message);
    throw error;
  }
}

/** The types that are searched: those that there are, in a compartment those that belong to it. */
function typesOf(
  space: Space,
  compartment: string | undefined,
  queryPairs: readonly string[],
): readonly string[] {
  const stored = [...new Set(space.resources.map(({ resourceType }) => resourceType))];
  const types = compartment === undefined ? stored : compartmentTypes(space, compartment);
  return types.filter((type) => queryPairs.every((text) => text.split(',').includes(type)));
}
