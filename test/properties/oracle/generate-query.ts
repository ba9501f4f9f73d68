/** Random searches, of the features that are on. */
import { makeSearchValue, type Asking } from './generate-criterion-value';
import { findParameter, parametersOf, TYPES, type Parameter } from './parameters';
import type { Random } from './random';
import { allowedTargets, isCanonical } from './reference-search';
import type { Space } from './space';

/** Everything that a search can consist of. */
export const FEATURES = [
  'string',
  'string:exact',
  'string:contains',
  'string:text',
  'token',
  'token:mixed',
  'token:not',
  'token:text',
  'token:in',
  'token:not-in',
  'token:above',
  'token:below',
  'token:of-type',
  'reference',
  'reference:type',
  'reference:identifier',
  'canonical',
  'canonical:id',
  'canonical:below',
  'profile',
  'date',
  'number',
  'quantity',
  'quantity:ucum',
  'uri',
  'uri:below',
  'uri:above',
  'uri:contains',
  'composite',
  'near',
  'missing',
  'chain',
  'has',
  'list',
  'type',
  'include',
  'revinclude',
  'iterate',
  'sort',
  'sort:number',
  'sort:reference',
  'sort:quantity',
  'long-strings',
  'count',
  'total',
  'refused',
] as const;
export type Feature = (typeof FEATURES)[number];

export interface GeneratedSearch {
  /** undefined: of the system */
  readonly type: string | undefined;
  /** Encoded, without the question mark. */
  readonly query: string;
}

export interface QueryMaker {
  readonly space: Space;
  readonly random: Random;
  readonly isOn: (feature: Feature) => boolean;
}

interface Way {
  readonly feature: Feature;
  /** What follows the name, without the colon. */
  readonly modifier: string;
}

const way = (feature: Feature, modifier = ''): Way => ({ feature, modifier });

function tokenWays({ paths, code }: Parameter): Way[] {
  const types = paths.map(({ type }) => type);
  // Exact and folded values under one parameter.
  if (types.includes('boolean') && types.length > 1) return [way('token:mixed')];
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
  if (code === 'contenttype') ways.push(way('token:below', 'below'));
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
      if (parameter.code === '_profile') return [way('profile')];
      if (isCanonical(parameter))
        return [way('canonical'), way('canonical'), way('canonical:id'), way('canonical:below', 'below')];
      const types = allowedTargets(space, type, parameter).filter((target) => TYPES.includes(target));
      return [
        way('reference'),
        way('reference'),
        way('reference:identifier', 'identifier'),
        ...types.slice(0, 3).map((target) => way('reference:type', target)),
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
      return [way('composite')];
    case 'special':
      return [way('near')];
    default:
      return [way(parameter.kind)];
  }
}

interface Criterion {
  readonly name: string;
  readonly value: string;
}

function oneValue(asking: Asking, { feature, modifier }: Way): string {
  const { parameter, random } = asking;
  if (parameter.kind !== 'composite') {
    const special = feature === 'quantity:ucum' ? 'ucum' : feature === 'canonical:id' ? 'id' : modifier;
    return makeSearchValue(asking, special);
  }
  return (parameter.components ?? [])
    .map((component) => {
      // Values as the data have them lie where the parameter of that name finds them.
      const known = findParameter(asking.type, component.code);
      const wanted = known ?? findParameter(asking.type, 'code') ?? component;
      return makeSearchValue({ ...asking, parameter: wanted }, random.chance(0.5) ? 'ucum' : '');
    })
    .join('$');
}

/** What an index may keep of a string. */
const LONGEST = 200;

/** A criterion on a parameter of the type itself; undefined where nothing of it is on. */
function ownCriterion(
  maker: QueryMaker,
  type: string,
  avoids: readonly string[] = [],
): Criterion | undefined {
  const { space, random, isOn } = maker;
  const parameter = random.pick(
    parametersOf(type).filter(({ kind, code }) => !avoids.includes(kind) && !avoids.includes(code)),
  );
  if (parameter.kind !== 'composite' && isOn('missing') && random.chance(0.1)) {
    return { name: `${parameter.code}:missing`, value: random.pick(['true', 'false']) };
  }
  const ways = waysOf(maker, type, parameter).filter(({ feature }) => isOn(feature));
  if (ways.length === 0) return undefined;
  const chosen = random.pick(ways);
  const asking = { space, random, type, parameter };
  const count = random.chance(0.3) ? 2 : random.chance(0.05) ? 5 : 1;
  const values = Array.from({ length: count }, () => oneValue(asking, chosen));
  if (!isOn('long-strings') && values.some((one) => one.length > LONGEST)) return undefined;
  const value = values.join(',');
  return { name: chosen.modifier === '' ? parameter.code : `${parameter.code}:${chosen.modifier}`, value };
}

/** A chain or a `_has`, down to `depth` more of them. */
function criterion(maker: QueryMaker, type: string, depth: number): Criterion | undefined {
  const { random, isOn, space } = maker;
  if (depth > 0 && isOn('chain') && random.chance(0.25)) {
    const references = parametersOf(type).filter(
      ({ kind, code }) => kind === 'reference' && code !== '_profile',
    );
    if (references.length === 0) return undefined;
    const parameter = random.pick(references);
    const targets = allowedTargets(space, type, parameter).filter((target) => TYPES.includes(target));
    if (targets.length === 0) return undefined;
    const target = random.pick(targets);
    const isTyped = random.chance(0.7);
    const inner = isTyped
      ? criterion(maker, target, depth - 1)
      : ownCriterion(maker, target, ['reference', '_id', '_lastUpdated']);
    if (inner === undefined) return undefined;
    return { name: `${parameter.code}${isTyped ? `:${target}` : ''}.${inner.name}`, value: inner.value };
  }
  if (depth > 0 && isOn('has') && random.chance(0.15)) {
    const sources = TYPES.flatMap((source) =>
      parametersOf(source)
        .filter(
          (parameter) =>
            parameter.kind === 'reference' && allowedTargets(space, source, parameter).includes(type),
        )
        .map(({ code }) => ({ source, code })),
    );
    if (sources.length === 0) return undefined;
    const { source, code } = random.pick(sources);
    const inner = criterion(maker, source, depth - 1);
    return inner === undefined
      ? undefined
      : { name: `_has:${source}:${code}:${inner.name}`, value: inner.value };
  }
  return ownCriterion(maker, type);
}

/** What must be answered with 400. */
function refusedCriterion({ random }: QueryMaker, type: string): Criterion {
  const parameters = parametersOf(type);
  const ofKind = (kind: string): string[] =>
    parameters.filter((one) => one.kind === kind).map(({ code }) => code);
  const value = (names: readonly string[], values: readonly string[]): Criterion[] =>
    names.length === 0 ? [] : [{ name: random.pick(names), value: random.pick(values) }];
  return random.pick([
    ...value(['nonsense', 'status:nonsense', '_id:nonsense'], ['a']),
    ...value(ofKind('date'), ['2020-13', '2020-02-30', 'xx2020', 'yesterday', '2020-03-01T25:00', 'ge']),
    ...value(
      ofKind('token').filter((code) => code !== '_id'),
      ['a|b|c'],
    ),
    ...value(
      ofKind('reference')
        .filter((code) => code !== '_profile')
        .map((code) => `${code}:Nonsense`),
      ['1'],
    ),
  ]);
}

const SORTABLE = ['date', 'string', 'token', 'uri'];
/** Its values differ only behind 200 characters. */
const LONG = 'description';

function makeSort({ random, isOn }: QueryMaker, type: string): string {
  const further = (['number', 'reference', 'quantity'] as const).filter((kind) => isOn(`sort:${kind}`));
  const kinds: string[] = [...SORTABLE, ...further];
  const codes = parametersOf(type).flatMap(({ kind, code }) =>
    kinds.includes(kind) && code !== '_profile' && (code !== LONG || isOn('long-strings')) ? [code] : [],
  );
  const count = random.pick([1, 1, 2, 3]);
  return [...new Set(random.several(codes, count))]
    .map((code) => (random.chance(0.5) ? '-' : '') + code)
    .join(',');
}

function makeInclude({ random, isOn, space }: QueryMaker, type: string): Criterion | undefined {
  const isReverse = isOn('revinclude') && (!isOn('include') || random.chance(0.5));
  if (!isReverse && !isOn('include')) return undefined;
  const source = isReverse || (isOn('iterate') && random.chance(0.3)) ? random.pick(TYPES) : type;
  const references = parametersOf(source).filter(
    ({ kind, code }) => kind === 'reference' && code !== '_profile',
  );
  if (references.length === 0) return undefined;
  const parameter = random.pick(references);
  const targets = allowedTargets(space, source, parameter).filter((target) => TYPES.includes(target));
  const target = random.chance(0.2) && targets.length > 0 ? `:${random.pick(targets)}` : '';
  const iterate = isOn('iterate') && random.chance(0.4) ? ':iterate' : '';
  return {
    name: `_${isReverse ? 'rev' : ''}include${iterate}`,
    value: `${source}:${random.chance(0.1) ? '*' : parameter.code + target}`,
  };
}

/** The types that are searched: those with more parameters more often. */
const WEIGHTED = [
  'Patient',
  'Patient',
  'Observation',
  'Observation',
  'Observation',
  'Encounter',
  'Condition',
  'QuestionnaireResponse',
  ...TYPES,
];

const encode = (parts: readonly Criterion[]): string =>
  parts.map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');

/** A search over several types, by parameters that all have. */
function generateSystemSearch(maker: QueryMaker): GeneratedSearch {
  const { random } = maker;
  const types = [...new Set(random.several(TYPES, random.pick([1, 2, 4])))];
  const own = parametersOf(types[0] ?? '').flatMap(({ code }) => (code.startsWith('_') ? [] : [code]));
  const parts = [
    { name: '_type', value: types.join(',') },
    ...[ownCriterion(maker, types[0] ?? '', own) ?? []].flat(),
  ];
  if (random.chance(0.4)) parts.push({ name: '_sort', value: random.pick(['_id', '-_lastUpdated', '_tag']) });
  return { type: undefined, query: encode([...parts, { name: '_count', value: random.pick(['5', '50']) }]) };
}

export function generateSearch(maker: QueryMaker): GeneratedSearch {
  const { random, isOn, space } = maker;
  if (isOn('type') && random.chance(0.05)) return generateSystemSearch(maker);
  const type = random.pick(WEIGHTED);
  const parts: Criterion[] = [];
  const wanted = random.pick([0, 1, 1, 1, 2, 2, 3]);
  for (let tries = 0; parts.length < wanted && tries < 20; tries++)
    parts.push(...[criterion(maker, type, 3) ?? []].flat());
  if (isOn('list') && random.chance(0.05)) {
    const lists = space.resources.filter(({ resourceType }) => resourceType === 'List').map(({ id }) => id);
    parts.push({ name: '_list', value: random.pick([...lists, 'unknown']) });
  }
  if (isOn('refused') && random.chance(0.04)) parts.push(refusedCriterion(maker, type));
  if (isOn('sort') && random.chance(0.4)) parts.push({ name: '_sort', value: makeSort(maker, type) });
  for (let count = random.pick([0, 0, 0, 1, 2]); count > 0; count--)
    parts.push(...[makeInclude(maker, type) ?? []].flat());
  if (isOn('count')) parts.push({ name: '_count', value: random.pick(['2', '5', '20', '50', '200']) });
  if (isOn('total') && random.chance(0.3)) parts.push({ name: '_total', value: 'accurate' });
  return { type, query: encode(parts) };
}
