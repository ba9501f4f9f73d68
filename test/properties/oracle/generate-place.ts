/** Random searches of several types at once: of the system, and of compartments. */
import { compartmentTypes, COMPARTMENTS } from './compartment';
import { ownCriterion } from './generate-criterion';
import { NOWHERE } from './maker';
import { findParameter, parametersOf, TYPES, type Parameter } from './parameters';
import { encodeQuery, idsOfType, type Criterion, type GeneratedSearch, type QueryMaker } from './query-maker';

const COMMON_SORTS = ['_id', '-_lastUpdated', '_tag', '-_id', '_lastUpdated,_id'];
const SORTED_KINDS = ['date', 'token', 'string'];

/** The parameters of the first type that all types have, in one kind. */
const sharedParameters = ([first = '', ...others]: readonly string[]): Parameter[] =>
  parametersOf(first).filter(({ code, kind }) =>
    others.every((type) => findParameter(type, code)?.kind === kind),
  );

function sharedParts(maker: QueryMaker, types: readonly string[]): Criterion[] {
  const { random, isOn, space } = maker;
  const [type = ''] = types;
  const shared = sharedParameters(types);
  const others = parametersOf(type).filter((parameter) => !shared.includes(parameter));
  const resources = space.resources.filter(({ resourceType }) => resourceType === type);
  const focus = resources.length > 0 && random.chance(0.6) ? random.pick(resources) : undefined;
  const avoided = others.map(({ code }) => code);
  const parts = random.chance(0.85) ? [ownCriterion({ ...maker, focus }, type, avoided) ?? []].flat() : [];
  if (isOn('sort') && random.chance(0.5)) {
    const own = shared.filter(({ kind, code }) => SORTED_KINDS.includes(kind) && code !== 'description');
    const sorts = own.map(({ code }) => (random.chance(0.5) ? '-' : '') + code);
    parts.push({ name: '_sort', value: random.pick([...COMMON_SORTS, ...sorts]) });
  }
  parts.push({ name: '_count', value: random.pick(['5', '50']) });
  if (isOn('total') && random.chance(0.3)) parts.push({ name: '_total', value: 'accurate' });
  return parts;
}

/** Types that have something in common, or any. */
function someTypes({ random }: QueryMaker): string[] {
  const families = [
    ['Observation', 'Condition', 'Encounter', 'MedicationRequest', 'ServiceRequest', 'RiskAssessment'],
    ['Patient', 'Practitioner', 'Organization', 'Location'],
    TYPES,
  ];
  return [...new Set(random.several(random.pick(families), random.pick([1, 2, 3, 4])))];
}

/** @param named the types that are named; undefined: all of the place, of which only the parameters of every type are asked */
function placeParts(
  maker: QueryMaker,
  named: readonly string[] | undefined,
  all: readonly string[],
): Criterion[] {
  if (named === undefined) return sharedParts(maker, [...all, 'Resource']);
  return [{ name: '_type', value: named.join(',') }, ...sharedParts(maker, named)];
}

/** A search over several types, by parameters that all have. */
export function generateSystemSearch(maker: QueryMaker): GeneratedSearch {
  const named = maker.random.chance(0.8) ? someTypes(maker) : undefined;
  const parts = placeParts(maker, named, TYPES);
  return { type: undefined, query: encodeQuery(parts) };
}

/** `Patient/1/Observation?…`, and all types of a compartment with `*`. */
export function generateCompartmentSearch(
  maker: QueryMaker,
  criteriaOf: (type: string) => Criterion[],
): GeneratedSearch {
  const { random, space, isOn } = maker;
  const compartment = random.pick(COMPARTMENTS);
  const place = `${compartment}/${random.pick([...idsOfType(space, compartment), NOWHERE])}`;
  const types = compartmentTypes(space, compartment);
  if (isOn('compartment:all') && random.chance(0.3)) {
    const some = [...new Set(random.several(types, random.pick([1, 3])))];
    const parts = placeParts(maker, random.chance(0.7) ? some : undefined, types);
    return { type: `${place}/*`, query: encodeQuery(parts) };
  }
  const type = random.pick(types);
  const parts = random.chance(0.4) ? [] : criteriaOf(type);
  if (isOn('sort') && random.chance(0.3)) parts.push({ name: '_sort', value: random.pick(COMMON_SORTS) });
  parts.push({ name: '_count', value: random.pick(['2', '50', '50']) });
  return { type: `${place}/${type}`, query: encodeQuery(parts) };
}
