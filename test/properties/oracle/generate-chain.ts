/** Random chains and `_has`, nested in each other, and their last criteria. */
import { ownCriterion } from './generate-criterion';
import { textOf, type JsonObject } from './json';
import { EVERY, officialKinds, officialParameters, officialTargets, type Release } from './official';
import { findParameter, parametersOf, TYPES, type Parameter } from './parameters';
import type { Criterion, QueryMaker } from './query-maker';
import { allowedTargets, isCanonical, resourcesAt } from './reference-search';
import { elementsOf } from './values';

/** The greatest number of references in a chain. */
export const DEEPEST = 4;

const isOnReference = ({ isOn }: QueryMaker, parameter: Parameter, canonical: 'chain' | 'has'): boolean =>
  parameter.kind === 'reference' &&
  parameter.code !== '_profile' &&
  (!isCanonical(parameter) || isOn(`${canonical}:canonical`));

const targetsOf = ({ space }: QueryMaker, type: string, parameter: Parameter): string[] =>
  allowedTargets(space, type, parameter).filter((target) => TYPES.includes(target));

/** A bare id may be of several types, by the rest of the chain. */
const hasBareId = (value: string): boolean =>
  value.split(',').some((one) => /^[A-Za-z0-9\-.]{1,64}$/.test(one));

/** True when a name has one kind in all types that have it, and the table of the oracle has it for each of them. */
export function meansOneThing(release: Release, types: readonly string[], code: string): boolean {
  const official = types.filter((type) => officialParameters(release).has(`${type}.${code}`));
  return (
    officialKinds(release, types, code).length === 1 &&
    official.every((type) => findParameter(type, code) !== undefined)
  );
}

/** The possible ends of a chain without a type: a name with the same kind in all targets of the reference. */
function untypedRest(
  maker: QueryMaker,
  target: string,
  targets: readonly string[],
  depth: number,
): Criterion | undefined {
  const inner = criterion(maker, target, depth - 1);
  if (inner === undefined) return undefined;
  const [, code = ''] = /^([\w-]+)/.exec(inner.name) ?? [];
  if (code === '_has') return inner;
  if (!meansOneThing(maker.space.release, targets, code)) return undefined;
  if (
    findParameter(target, code)?.kind === 'reference' &&
    !/[.]|:missing$/.test(inner.name) &&
    hasBareId(inner.value)
  )
    return undefined;
  return inner;
}

/** The target of the reference of the resource in focus. */
const reached = (
  { space, focus }: Pick<QueryMaker, 'space' | 'focus'>,
  parameter: Parameter,
): JsonObject[] =>
  focus === undefined
    ? []
    : elementsOf(focus, parameter)
        .flatMap(({ value }) => resourcesAt(space, parameter, value, focus))
        .map(({ resource }) => resource);

/** A resource of the source that refers to the one in focus. */
function referring(
  { space, focus, random }: QueryMaker,
  source: string,
  code: string,
): JsonObject | undefined {
  const parameter = findParameter(source, code);
  if (focus === undefined || parameter === undefined) return undefined;
  const found = space.resources.filter(
    (resource) =>
      resource.resourceType === source && reached({ space, focus: resource }, parameter).includes(focus),
  );
  return found.length > 0 ? random.pick(found) : undefined;
}

/** More targets than these are as good as all. */
const MANY_TARGETS = 50;

/** True when a reference may be to every type. */
export function leadsAnywhere(release: Release, type: string, { code, onlyTarget }: Parameter): boolean {
  const targets = onlyTarget === undefined ? officialTargets(release, type, code) : [];
  return targets.length > MANY_TARGETS || targets.some((target) => EVERY.includes(target));
}

function chain(maker: QueryMaker, type: string, depth: number): Criterion[] {
  const { random, isOn, space } = maker;
  const all = parametersOf(type).filter((parameter) => isOnReference(maker, parameter, 'chain'));
  const leading = all.filter((parameter) => reached(maker, parameter).length > 0);
  const references = leading.length > 0 ? leading : all;
  if (references.length === 0) return [];
  const parameter = random.pick(references);
  const targets = targetsOf(maker, type, parameter);
  if (targets.length === 0) return [];
  const one = (): Criterion | undefined => {
    const isUntypedOn =
      isOn('chain:untyped') && (isOn('chain:any') || !leadsAnywhere(space.release, type, parameter));
    const isTyped = !isUntypedOn || random.chance(0.5);
    const resources = reached(maker, parameter);
    const focus = resources.length > 0 ? random.pick(resources) : undefined;
    const target = textOf(focus?.['resourceType']) ?? random.pick(targets);
    if (!targets.includes(target)) return undefined;
    const next = { ...maker, focus };
    const rest = isTyped ? criterion(next, target, depth - 1) : untypedRest(next, target, targets, depth);
    const head = isTyped ? `${parameter.code}:${target}` : parameter.code;
    return rest === undefined ? undefined : { name: `${head}.${rest.name}`, value: rest.value };
  };
  const wanted = isOn('chain:and') && random.chance(0.15) ? 2 : 1;
  return Array.from({ length: wanted }, one).flatMap((made) => made ?? []);
}

function has(maker: QueryMaker, type: string, depth: number): Criterion | undefined {
  const sources = TYPES.flatMap((source) =>
    parametersOf(source)
      .filter(
        (parameter) =>
          isOnReference(maker, parameter, 'has') &&
          allowedTargets(maker.space, source, parameter).includes(type),
      )
      .map(({ code }) => ({ source, code })),
  );
  if (sources.length === 0) return undefined;
  const tried = maker.random.several(sources, 6).map((one) => ({
    ...one,
    focus: referring(maker, one.source, one.code),
  }));
  const chosen = tried.find(({ focus }) => focus !== undefined) ?? tried[0];
  if (chosen === undefined) return undefined;
  const { source, code, focus } = chosen;
  const inner = criterion({ ...maker, focus }, source, depth - 1);
  return inner === undefined
    ? undefined
    : { name: `_has:${source}:${code}:${inner.name}`, value: inner.value };
}

/** Criteria of a type: its own, chains (two where both go over the same reference) or a `_has`. */
export function criteria(maker: QueryMaker, type: string, depth = DEEPEST): Criterion[] {
  const { random, isOn } = maker;
  if (depth > 0 && isOn('chain') && random.chance(0.3)) return chain(maker, type, depth);
  if (depth > 0 && isOn('has') && random.chance(0.2)) return [has(maker, type, depth) ?? []].flat();
  return [ownCriterion(maker, type) ?? []].flat();
}

/** One of them, as a chain or `_has` can go on with. */
const criterion = (maker: QueryMaker, type: string, depth: number): Criterion | undefined =>
  criteria(maker, type, depth)[0];
