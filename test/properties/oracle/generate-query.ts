/** Random searches, of the features that are on. */
import { criteria } from './generate-chain';
import { generateContainedSearch } from './generate-contained';
import { generateNamedSearch } from './generate-named';
import { generateCompartmentSearch, generateSystemSearch } from './generate-place';
import { makeFilter } from './generate-filter';
import { makeWordCriterion } from './generate-words';
import { parametersOf, TYPES } from './parameters';
import { encodeQuery, idsOfType, type Criterion, type GeneratedSearch, type QueryMaker } from './query-maker';
import { allowedTargets } from './reference-search';
import type { Space } from './space';

/** A search that must be answered with 400. */
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

const listNames = (space: Space): string[] =>
  idsOfType(space, 'List').flatMap((id) => [id, id, `List/${id}`]);

/** Criteria of all kinds on one type. */
function makeCriteria(maker: QueryMaker, type: string): Criterion[] {
  const { random, isOn, space } = maker;
  const parts: Criterion[] = [];
  const wanted = random.pick([0, 1, 1, 1, 2, 2, 3]);
  for (let tries = 0; parts.length < wanted && tries < 20; tries++) parts.push(...criteria(maker, type));
  if (isOn('list') && random.chance(0.05))
    parts.push({ name: '_list', value: random.pick([...listNames(space), 'unknown']) });
  parts.push(...makeWordCriterion(maker));
  if (isOn('filter') && random.chance(0.12)) parts.push(...makeFilter(maker, type));
  return parts;
}

/** Most searches are about one resource, so that they find something. */
function focused(maker: QueryMaker, type: string): QueryMaker {
  const { space, random } = maker;
  const resources = space.resources.filter(({ resourceType }) => resourceType === type);
  return random.chance(0.75) && resources.length > 0 ? { ...maker, focus: random.pick(resources) } : maker;
}

export function generateSearch(maker: QueryMaker): GeneratedSearch {
  const { random, isOn } = maker;
  if (isOn('type') && random.chance(0.05)) return generateSystemSearch(maker);
  if (isOn('compartment') && random.chance(0.06))
    return generateCompartmentSearch(maker, (type) => makeCriteria(maker, type));
  if (isOn('query') && random.chance(0.04))
    return generateNamedSearch(maker, (type) => criteria(maker, type));
  if (isOn('contained') && random.chance(0.06)) return generateContainedSearch(maker, criteria, makeInclude);
  const type = random.pick(WEIGHTED);
  const parts = makeCriteria(focused(maker, type), type);
  if (isOn('refused') && random.chance(0.04)) parts.push(refusedCriterion(maker, type));
  if (isOn('sort') && random.chance(0.4)) parts.push({ name: '_sort', value: makeSort(maker, type) });
  for (let count = random.pick([0, 0, 0, 1, 2]); count > 0; count--)
    parts.push(...[makeInclude(maker, type) ?? []].flat());
  if (isOn('count'))
    parts.push({ name: '_count', value: random.pick(['2', '5', '20', '50', '50', '200', '200', '200']) });
  if (isOn('total') && random.chance(0.3)) parts.push({ name: '_total', value: 'accurate' });
  return { type, query: encodeQuery(parts) };
}
