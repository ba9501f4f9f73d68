/** Random criteria on the parameters of a type itself. */
import type { Feature } from './features';
import { makeSearchValue, type Focus } from './generate-criterion-value';
import { withHierarchies } from './hierarchy';
import { findParameter, parametersOf, TYPES, type Parameter } from './parameters';
import type { Criterion, QueryMaker } from './query-maker';
import { allowedTargets, isCanonical } from './reference-search';
import { elementsOf } from './values';

interface Way {
  readonly feature: Feature;
  /** The suffix of the name, without the colon. */
  readonly modifier: string;
}

const way = (feature: Feature, modifier = ''): Way => ({ feature, modifier });

function tokenWays({ paths, code }: Parameter): Way[] {
  const types = paths.map(({ type }) => type);
  // Exact and folded values under one parameter.
  if (types.includes('boolean') && types.length > 1) return [way('token:mixed')];
  if (code === '_id') return [way('token'), way('token'), way('id:modifiers', 'not')];
  const isCoded = types.some((type) => type === 'Coding' || type === 'CodeableConcept');
  const ways = [way('token'), way('token'), way('token'), way('token:not', 'not')];
  if (isCoded || types.includes('Identifier')) ways.push(way('token:text', 'text'));
  if (types.includes('Identifier')) ways.push(way('token:of-type', 'of-type'));
  if (isCoded && !code.startsWith('_')) {
    ways.push(
      way('token:in', 'in'),
      way('token:not-in', 'not-in'),
      way('token:above', 'above'),
      way('token:below', 'below'),
    );
  }
  if (code === 'gender') ways.push(way('token:in', 'in'), way('token:not-in', 'not-in'));
  if (code === 'contenttype') ways.push(way('contenttype:below', 'below'), way('contenttype:below', 'below'));
  return ways;
}

function waysOf({ space }: QueryMaker, type: string, parameter: Parameter): Way[] {
  switch (parameter.kind) {
    case 'string':
      return [
        way('string'),
        way('string'),
        way('string:exact', 'exact'),
        way('string:contains', 'contains'),
        way('string:text', 'text'),
      ];
    case 'token':
      return tokenWays(parameter);
    case 'reference': {
      if (parameter.code === '_profile') return [way('profile'), way('profile', 'below')];
      if (isCanonical(parameter))
        return [way('canonical'), way('canonical'), way('canonical:id'), way('canonical:below', 'below')];
      const types = allowedTargets(space, type, parameter).filter((target) => TYPES.includes(target));
      return [
        way('reference'),
        way('reference'),
        way('reference:identifier', 'identifier'),
        ...types.slice(0, 3).map((target) => way('reference:type', target)),
        ...(withHierarchies(types).length === 0
          ? []
          : [way('reference:below', 'below'), way('reference:above', 'above')]),
      ];
    }
    case 'quantity':
      return [way('quantity'), way('quantity:ucum')];
    case 'uri':
      return [
        way('uri'),
        ...(['below', 'above', 'contains'] as const).map((modifier) => way(`uri:${modifier}`, modifier)),
      ];
    case 'composite':
      return [way((parameter.components ?? []).length > 2 ? 'composite:three' : 'composite')];
    case 'special':
      return [way('near')];
    default:
      return [way(parameter.kind)];
  }
}

function oneValue(criterionFocus: Focus, { feature, modifier }: Way): string {
  const { parameter, random } = criterionFocus;
  if (parameter.kind !== 'composite') {
    const special = feature === 'quantity:ucum' ? 'ucum' : feature === 'canonical:id' ? 'id' : modifier;
    return makeSearchValue(criterionFocus, special);
  }
  return (parameter.components ?? [])
    .map((component) => {
      // Values as the data have them lie where the parameter of that name finds them.
      const componentParameter = findParameter(criterionFocus.type, component.code);
      const wanted = componentParameter ?? findParameter(criterionFocus.type, 'code') ?? component;
      return makeSearchValue({ ...criterionFocus, parameter: wanted }, random.chance(0.5) ? 'ucum' : '');
    })
    .join('$');
}

/** The length of a string that an index may store. */
const LONGEST = 200;
/** `system|` as a part of a composite. */
const SYSTEM_ALONE = /(?:^|[,$])[^,$|]+\|(?=[,$]|$)/;

/** A criterion on a parameter of the type itself; undefined where nothing of it is on. */
export function ownCriterion(
  maker: QueryMaker,
  type: string,
  avoids: readonly string[] = [],
): Criterion | undefined {
  const { space, random, isOn, focus } = maker;
  const all = parametersOf(type).filter(({ kind, code }) => !avoids.includes(kind) && !avoids.includes(code));
  const valued = focus === undefined ? [] : all.filter((one) => elementsOf(focus, one).length > 0);
  const parameter = random.pick(valued.length > 0 && random.chance(0.7) ? valued : all);
  if (parameter.kind !== 'composite' && parameter.kind !== 'special' && random.chance(0.1)) {
    const isEverywhere = ['_id', '_lastUpdated'].includes(parameter.code);
    if (isOn(isEverywhere ? 'id:modifiers' : 'missing'))
      return { name: `${parameter.code}:missing`, value: random.pick(['true', 'false']) };
  }
  const ways = waysOf(maker, type, parameter).filter(({ feature }) => isOn(feature));
  if (ways.length === 0) return undefined;
  const chosen = random.pick(ways);
  const criterionFocus: Focus = { space, random, type, parameter, focus };
  const count = random.chance(0.3) ? 2 : random.chance(0.05) ? 5 : 1;
  const values = Array.from({ length: count }, () => oneValue(criterionFocus, chosen));
  if (!isOn('long-strings') && values.some((one) => one.length > LONGEST)) return undefined;
  const value = values.join(',');
  if (parameter.kind === 'composite' && SYSTEM_ALONE.test(value) && !isOn('composite:system'))
    return undefined;
  return { name: chosen.modifier === '' ? parameter.code : `${parameter.code}:${chosen.modifier}`, value };
}
