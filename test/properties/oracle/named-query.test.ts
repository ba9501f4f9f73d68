/** The oracle on `_query` by examples. */
import { find } from './find';
import { Unclear } from './refusal';

const coded = (code: string): object => ({ coding: [{ system: 'http://loinc.org', code }] });
const observation = (id: string, code: string, effectiveDateTime: string): object => ({
  ...{ resourceType: 'Observation', id, status: 'final' },
  ...{ code: coded(code), effectiveDateTime },
});

const data = [
  observation('old', '8310-5', '2019-01-01'),
  observation('new', '8310-5', '2021-01-01'),
  observation('odd', 'a,b', '2021-01-01'),
  { resourceType: 'Patient', id: 'ann', name: [{ given: ['Ann'] }], gender: 'female' },
  { resourceType: 'Patient', id: 'joe', name: [{ given: ['Joe'] }], gender: 'male' },
  { resourceType: 'Patient', id: 'one', name: [{ given: ['Joanna', 'Ann'] }], gender: 'male' },
];

it.each([
  ['Observation?_query=latest&which=8310-5', ['old', 'new']],
  ['Observation?_query=latest&which=8310-5&since=2020', ['new']],
  ['Observation?_query=latest&which=http://loinc.org|8310-5&status=final', ['old', 'new']],
  ['Observation?_query=latest&which=8310-5&status=amended', []],
  // In a parameter that is given once, a comma means itself.
  ['Observation?_query=latest&which=a,b', ['odd']],
  ['Patient?_query=people&called=ann,joe', ['ann', 'joe', 'one']],
  ['Patient?_query=people&called=ann&called=joe&sex=male', ['joe', 'one']],
  ['Patient?_query=people', ['ann', 'joe', 'one']],
  ['Observation?_query=latest', 400],
  ['Observation?_query=latest&which=a&which=b', 400],
  ['Observation?_query=latest&which=a&since=tomorrow', 400],
  ['Observation?_query=unknown', 400],
  ['Observation?_query=people', 400],
  ['Patient?_query=people&_query=people', 400],
])('%s finds %j', (query, expected) => {
  expect(find(data, query)).toEqual(expected);
});

it('does not define an escape within a value', () => {
  expect(() => find(data, 'Observation?_query=latest&which=a\\,b')).toThrow(Unclear);
});
