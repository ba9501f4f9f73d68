/** Random searches by name. */
import { DATES } from './generate-values';
import { NAMED_QUERIES } from './named-query';
import { encodeQuery, idsOfType, type Criterion, type GeneratedSearch, type QueryMaker } from './query-maker';

/** @param criteriaOf criteria of all kinds on one type, which narrow what the query finds */
export function generateNamedSearch(
  maker: QueryMaker,
  criteriaOf: (type: string) => Criterion[],
): GeneratedSearch {
  const { random, space } = maker;
  const query = random.pick(NAMED_QUERIES);
  const type = random.chance(0.95) ? random.pick(query.types) : 'Location';
  const values: Readonly<Record<string, readonly string[]>> = {
    which: ['http://loinc.org|8310-5', '8310-5', 'urn:local|', '|b', 'a', 'none', 'A,a', 'a$b'],
    since: [...DATES, '2020-13'],
    called: ['Smith', 'smi', 'Muñoz', 'ann,jos', 'Helsing', 'none'],
    sex: ['male', 'female', 'male,female', 'http://hl7.org/fhir/administrative-gender|male'],
    whom: [...idsOfType(space, 'Patient'), 'nowhere'],
  };
  const given = query.parameters.flatMap(({ name, isRequired, isRepeated }): Criterion[] => {
    const usual = isRepeated ? [0, 1, 1, 2] : isRequired ? [1, 1, 1, 1, 1, 1, 1, 0, 2] : [0, 1, 1, 1, 1, 2];
    return random.several(values[name] ?? [], random.pick(usual)).map((value) => ({ name, value }));
  });
  const parts = [{ name: '_query', value: random.chance(0.03) ? 'unknown' : query.code }, ...given];
  if (random.chance(0.02)) parts.push({ name: '_query', value: query.code });
  if (random.chance(0.3)) parts.push(...criteriaOf(type));
  if (random.chance(0.3))
    parts.push({ name: '_sort', value: random.pick(['_lastUpdated', '-_id', 'status,-_id']) });
  parts.push({ name: '_count', value: random.pick(['2', '20', '200']) });
  if (random.chance(0.3)) parts.push({ name: '_total', value: 'accurate' });
  return { type, query: encodeQuery(parts) };
}
