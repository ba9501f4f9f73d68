/** `_include` and `_revinclude`: the included resources of a page. */
import { listOf, textOf, type Json, type Resource } from './json';
import { findParameter, parametersOf, type Parameter } from './parameters';
import { referenceText, targetOf } from './reference';
import { BadSearch } from './refusal';
import { allowedTargets, isCanonical, resourcesAt } from './reference-search';
import type { Space } from './space';
import { elementsOf } from './values';

export interface Include {
  readonly isReverse: boolean;
  readonly isIterated: boolean;
  /** undefined: any type and any parameter */
  readonly source: string | undefined;
  /** undefined: any reference parameter of the source */
  readonly code: string | undefined;
  readonly target: string | undefined;
}

/** @param name such as `_include:iterate` @throws BadSearch */
export function readInclude(name: string, text: string): Include {
  const [kind, modifier] = name.split(':');
  if (modifier !== undefined && modifier !== 'iterate') throw new BadSearch(`${name} has no such modifier`);
  const [source = '', code, target] = text.split(':');
  const flags = { isReverse: kind === '_revinclude', isIterated: modifier === 'iterate' };
  if (text === '*') return { ...flags, source: undefined, code: undefined, target: undefined };
  if (code === undefined) throw new BadSearch(`${text}: Type:parameter`);
  if (code !== '*' && findParameter(source, code)?.kind !== 'reference')
    throw new BadSearch(`${text} is no reference`);
  return { ...flags, source, code: code === '*' ? undefined : code, target };
}

/** Type, id and version: a versioned reference brings that version. */
export const identityOf = (resource: Resource): string => {
  const meta = listOf(resource['meta'])[0];
  const version = typeof meta === 'object' && 'versionId' in meta ? textOf(meta.versionId) : undefined;
  return `${resource.resourceType}/${resource.id}/_history/${version ?? '1'}`;
};

function parametersFor(type: string, code: string | undefined): Parameter[] {
  return parametersOf(type).filter(
    (parameter) =>
      parameter.kind === 'reference' &&
      (code === undefined ? parameter.code !== '_profile' : parameter.code === code),
  );
}

function resourcesFor(space: Space, parameter: Parameter, value: Json, from: Resource): Resource[] {
  const text = referenceText(value);
  const target = text === undefined || isCanonical(parameter) ? undefined : targetOf(text, space.root);
  if (target?.version !== undefined) return [space.versionOf(target) ?? []].flat();
  if (text?.startsWith('#') === true) return [];
  return resourcesAt(space, parameter, value, from).map(({ resource }) => resource as Resource);
}

/** The targets of the references of `from`. */
function follow(space: Space, include: Include, from: Resource): Resource[] {
  const { source, code, target } = include;
  if (source !== undefined && source !== from.resourceType) return [];
  return parametersFor(from.resourceType, code).flatMap((parameter) => {
    const allowed = allowedTargets(space, from.resourceType, parameter);
    return elementsOf(from, parameter)
      .flatMap(({ value }) => resourcesFor(space, parameter, value, from))
      .filter(
        ({ resourceType }) =>
          allowed.includes(resourceType) && (target === undefined || resourceType === target),
      );
  });
}

/** True when a reference of `from` names `to`, even if it does not exist. */
function names(space: Space, { source, code }: Include, from: Resource, to: Resource): boolean {
  if (source !== undefined && source !== from.resourceType) return false;
  return parametersFor(from.resourceType, code).some(
    (parameter) =>
      !isCanonical(parameter) &&
      allowedTargets(space, from.resourceType, parameter).includes(to.resourceType) &&
      elementsOf(from, parameter).some(({ value }) => {
        const text = referenceText(value);
        const target = text === undefined ? undefined : targetOf(text, space.root);
        return target?.type === to.resourceType && target.id === to.id;
      }),
  );
}

/** The resources that refer to `to`. */
function followBack(space: Space, include: Include, to: Resource): Resource[] {
  const { target } = include;
  if (target !== undefined && target !== to.resourceType) return [];
  // A version that came along may be one of a resource that was deleted since.
  const isDeleted = !space.resources.some(
    ({ resourceType, id }) => resourceType === to.resourceType && id === to.id,
  );
  return space.resources.filter((resource) =>
    isDeleted
      ? names(space, include, resource, to)
      : follow(space, include, resource).some(
          ({ resourceType, id }) => resourceType === to.resourceType && id === to.id,
        ),
  );
}

/** The includes of these matches, each once, without the matches. */
export function included(
  space: Space,
  includes: readonly Include[],
  matches: readonly Resource[],
): Resource[] {
  const matched = new Set(matches.map(identityOf));
  const all: Resource[] = [];
  let latest: readonly Resource[] = matches;
  for (let round = 0; latest.length > 0; round++) {
    const applied = round === 0 ? includes : includes.filter(({ isIterated }) => isIterated);
    const found = latest.flatMap((resource) =>
      applied.flatMap((include) => (include.isReverse ? followBack : follow)(space, include, resource)),
    );
    latest = found.filter((resource) => {
      if (matched.has(identityOf(resource))) return false;
      matched.add(identityOf(resource));
      return true;
    });
    all.push(...latest);
  }
  return all;
}
