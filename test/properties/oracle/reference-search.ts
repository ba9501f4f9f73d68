/** Searches of references and canonicals, and the resources that they lead to. */
import { isObject, isResource, listOf, textOf, type Json } from './json';
import type { Parameter } from './parameters';
import { hierarchyTest } from './hierarchy';
import { containedOf, referenceText, targetOf } from './reference';
import { unescaped } from './query-text';
import { BadSearch } from './refusal';
import { findLocal, type Item, type Space } from './space';
import { meetsToken, readToken, tokensOf } from './token';
import { meetsCanonical, readCanonical } from './uri';
import { elementsOf, type Element } from './values';

export const isCanonical = ({ paths }: Parameter): boolean => paths.some(({ type }) => type === 'canonical');

const ID = /^[A-Za-z0-9\-.]{1,64}$/;

/** The types that a parameter may lead to, `patient` only to Patient. */
export function allowedTargets(space: Space, type: string, parameter: Parameter): readonly string[] {
  const { onlyTarget } = parameter;
  return onlyTarget === undefined ? space.targetsOf(type, parameter.code) : [onlyTarget];
}

/** The types that references of this parameter with this id name, anywhere in the space. */
function typesReferredTo(space: Space, type: string, parameter: Parameter, id: string): string[] {
  const allowed = allowedTargets(space, type, parameter);
  const targets = space.resources
    .filter(({ resourceType }) => resourceType === type)
    .flatMap((resource) => elementsOf(resource, parameter))
    .flatMap(({ value }) => targetOf(referenceText(value) ?? '', space.root) ?? [])
    .filter((target) => target.id === id && allowed.includes(target.type));
  return [...new Set(targets.map((target) => target.type))];
}

function canonicalTest(space: Space, parameter: Parameter, type: string, modifier: string, search: string) {
  const target = targetOf(search, space.root);
  const own = space.resources
    .filter(
      ({ resourceType, id }) =>
        space.targetsOf(type, parameter.code).includes(resourceType) &&
        (target === undefined ? id === search : target.type === resourceType && target.id === id),
    )
    .flatMap((resource) => textOf(resource['url']) ?? []);
  const sought = readCanonical(search);
  return ({ value }: Element): boolean => {
    const stored = readCanonical(textOf(value) ?? '');
    return own.includes(stored.url) || meetsCanonical(stored, modifier, sought);
  };
}

function identifierTest(search: string): (element: Element) => boolean {
  const sought = readToken(search, ['Identifier']);
  return ({ value }) =>
    isObject(value) &&
    listOf(value['identifier'])
      .flatMap((identifier) => tokensOf({ type: 'Identifier', system: undefined, value: identifier }))
      .some((token) => meetsToken(token, sought));
}

/**
 * The test of one alternative of a reference parameter.
 * @throws BadSearch for a modifier that is no type allowed here, for a bare id that hits several types, and where there
 * is no hierarchy
 */
export function referenceTest(
  space: Space,
  type: string,
  parameter: Parameter,
  modifier: string,
  text: string,
): (element: Element) => boolean {
  if (modifier === 'identifier') return identifierTest(text);
  const search = unescaped(text);
  if (isCanonical(parameter)) {
    if (modifier !== '' && modifier !== 'below') throw new BadSearch(`:${modifier} of a canonical`);
    return canonicalTest(space, parameter, type, modifier, search);
  }
  const allowed = allowedTargets(space, type, parameter);
  if (modifier === 'above' || modifier === 'below') {
    const meets = hierarchyTest(space, allowed, modifier, search);
    return ({ value }) => meets(targetOf(referenceText(value) ?? '', space.root));
  }
  if (modifier !== '' && !allowed.includes(modifier)) throw new BadSearch(`:${modifier} is not a target`);
  if (ID.test(search)) {
    if (modifier === '' && typesReferredTo(space, type, parameter, search).length > 1) {
      throw new BadSearch(`${search} may be several types`);
    }
    return ({ value }) => {
      const stored = targetOf(referenceText(value) ?? '', space.root);
      return (
        stored?.id === search && (modifier === '' ? allowed.includes(stored.type) : stored.type === modifier)
      );
    };
  }
  const sought = targetOf(search, space.root);
  return ({ value }) => {
    const literal = referenceText(value) ?? '';
    if (sought === undefined) return literal === search;
    const stored = targetOf(literal, space.root);
    return stored?.type === sought.type && stored.id === sought.id;
  };
}

/** The resources that an element leads to: contained, in the space, or by url and version. */
export function resourcesAt(
  space: Space,
  parameter: Parameter,
  value: Json,
  container: Item['container'],
): Item[] {
  const text = referenceText(value);
  if (text === undefined) return [];
  if (isCanonical(parameter)) {
    const { url, version } = readCanonical(text);
    return space.resources
      .filter(
        (resource) => resource['url'] === url && (version === undefined || resource['version'] === version),
      )
      .map((resource) => ({ resource, container: resource }));
  }
  if (text.startsWith('#')) {
    const contained = containedOf(text, container);
    return contained === undefined ? [] : [{ resource: contained, container }];
  }
  const found = findLocal(space, text);
  return found === undefined || !isResource(found) ? [] : [{ resource: found, container: found }];
}
