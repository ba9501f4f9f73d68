/** Random searches of several types at once: of the system, and of compartments. */
import { compartmentTypes, COMPARTMENTS } from './compartment';
import { ownCriterion } from './generate-criterion';
import { NOWHERE } from './maker';
import { parametersOf, TYPES } from './parameters';
import { encodeQuery, idsOfType, type Criterion, type GeneratedSearch, type QueryMaker } from './query-maker';

const COMMON_SORTS = ['_id', '-_lastUpdated', '_tag', '-_id', '_lastUpdated,_id'];

function commonCriterion(maker: QueryMaker, type: string): Criterion[] {
  const own = parametersOf(type).flatMap(({ code }) => (code.startsWith('_') ? [] : [code]));
  return [ownCriterion(maker, type, own) ?? []].flat();
}

function commonParts(maker: QueryMaker, type: string): Criterion[] {
  const { random, isOn } = maker;
  const parts = commonCriterion(maker, type);
  if (isOn('sort') && random.chance(0.5)) parts.push({ name: '_sort', value: random.pick(COMMON_SORTS) });
  parts.push({ name: '_count', value: random.pick(['5', '50']) });
  if (isOn('total') && random.chance(0.3)) parts.push({ name: '_total', value: 'accurate' });
  return parts;
}

/** A search over several types, by parameters that all have. */
export function generateSystemSearch(maker: QueryMaker): GeneratedSearch {
  const types = [...new Set(maker.random.several(TYPES, maker.random.pick([1, 2, 4])))];
  const named = maker.random.chance(0.75) ? [{ name: '_type', value: types.join(',') }] : [];
  const parts = [...named, ...commonParts(maker, types[0] ?? '')];
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
    const named = random.chance(0.7) ? [{ name: '_type', value: some.join(',') }] : [];
    const parts = [...named, ...commonParts(maker, some[0] ?? '')];
    return { type: `${place}/*`, query: encodeQuery(parts) };
  }
  const type = random.pick(types);
  const parts = random.chance(0.4) ? [] : criteriaOf(type);
  if (isOn('sort') && random.chance(0.3)) parts.push({ name: '_sort', value: random.pick(COMMON_SORTS) });
  parts.push({ name: '_count', value: random.pick(['2', '50', '50']) });
  return { type: `${place}/${type}`, query: encodeQuery(parts) };
}
