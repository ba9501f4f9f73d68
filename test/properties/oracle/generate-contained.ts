/** Random searches for contained resources. */
import { isObject, listOf } from './json';
import { encodeQuery, type Criterion, type GeneratedSearch, type QueryMaker } from './query-maker';

const TYPES = ['Patient', 'Patient', 'Organization', 'Practitioner', 'Observation'];

/**
 * @param criteriaOf criteria of all kinds on one type
 * @param includeOf what may come along with matches of the type
 */
export function generateContainedSearch(
  maker: QueryMaker,
  criteriaOf: (maker: QueryMaker, type: string) => Criterion[],
  includeOf: (maker: QueryMaker, type: string) => Criterion | undefined,
): GeneratedSearch {
  const { random, space, isOn } = maker;
  const type = random.pick(TYPES);
  const inside = space.resources
    .flatMap(({ contained }) => listOf(contained).filter(isObject))
    .filter(({ resourceType }) => resourceType === type);
  const focus = random.chance(0.75) && inside.length > 0 ? random.pick(inside) : undefined;
  const parts = Array.from({ length: random.pick([0, 1, 1, 2]) }, () =>
    criteriaOf({ ...maker, focus }, type),
  ).flat();
  const contained = random.pick(['true', 'true', 'true', 'both', 'both', 'false', 'neither']);
  const as = random.pick([undefined, 'container', 'contained', 'contained', 'contained']);
  parts.push({ name: '_contained', value: contained });
  if (as !== undefined) parts.push({ name: '_containedType', value: as });
  // A container and an include of a stored match would both be included, and could not be distinguished.
  const include = contained === 'both' && as !== 'contained' ? undefined : includeOf(maker, type);
  if (include !== undefined && random.chance(0.3)) parts.push(include);
  if (isOn('sort') && random.chance(0.05)) parts.push({ name: '_sort', value: '_lastUpdated' });
  parts.push({ name: '_count', value: random.pick(['1', '2', '5', '50', '200']) });
  if (isOn('total') && random.chance(0.5)) parts.push({ name: '_total', value: 'accurate' });
  return { type, query: encodeQuery(parts) };
}
