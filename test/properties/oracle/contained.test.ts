/** The oracle on `_contained` by examples. */
import { makeSpace } from './make-space';
import { ROOT } from './find';
import { toJson, type Resource } from './json';
import { search } from './matcher';

const inner = (id: string, family: string, more: object = {}): object => ({
  resourceType: 'Patient',
  id,
  name: [{ family }],
  ...more,
});

const data = [
  { resourceType: 'Patient', id: '1', name: [{ family: 'Smith' }] },
  { resourceType: 'Patient', id: '2', name: [{ family: 'Jones' }] },
  {
    resourceType: 'Observation',
    id: 'a',
    subject: { reference: '#p' },
    contained: [
      inner('p', 'Smith', { managingOrganization: { reference: '#o' } }),
      inner('unnamed', 'Smith'),
      { resourceType: 'Organization', id: 'o', name: 'Acme' },
    ],
  },
  {
    resourceType: 'Condition',
    id: 'b',
    subject: { reference: '#p' },
    asserter: { reference: '#q' },
    contained: [inner('p', 'Smith', { gender: 'male' }), inner('q', 'Smith', { gender: 'female' })],
  },
  { resourceType: 'Observation', id: 'outer', subject: { reference: 'Patient/1' } },
];
const space = makeSpace({
  release: 'r4',
  root: ROOT,
  resources: data.map((resource) => toJson(resource) as Resource),
});

const CONTAINED = '_containedType=contained';

it.each<[string, readonly string[], readonly string[]]>([
  ['Patient?family=smith&_contained=true', [], ['Observation/a', 'Condition/b']],
  ['Patient?family=smith&_contained=both', ['1'], ['Observation/a', 'Condition/b']],
  [
    `Patient?family=smith&_contained=true&${CONTAINED}`,
    [],
    ['Observation/a#p', 'Condition/b#p', 'Condition/b#q'],
  ],
  [`Patient?gender=female&_contained=true&${CONTAINED}`, [], ['Condition/b#q']],
  [`Patient?gender:missing=true&_contained=true&${CONTAINED}`, [], ['Observation/a#p']],
  ['Patient?gender=male&family=jones&_contained=true', [], []],
  ['Patient?organization.name=acme&_contained=true', [], ['Observation/a']],
  ['Organization?_contained=both', [], ['Observation/a']],
  ['Patient?_has:Observation:subject:_id=outer&_contained=both', ['1'], []],
  ['Patient?_lastUpdated=gt2000&_contained=true', [], []],
])('%s finds %j and inside %j', (searched, stored, inside) => {
  const [type = '', query = ''] = searched.split('?');
  const expected = search(space, type, query);
  expect(expected?.matches.map(({ id }) => id)).toEqual(stored);
  expect(expected?.inside?.places).toEqual(inside);
});

it.each([
  ['Patient?family=smith&_contained=false', 'stored'],
  ['Patient?_contained=maybe', 400],
  ['Patient?_contained=true&_containedType=any', 400],
  ['Patient?_contained=true&nonsense=1', 400],
  ['Patient?_contained=true&_sort=family', 'must'],
  ['Patient?_contained=true&_content=x', 'must'],
  ['Patient?_contained=true&name:text=x', 'may'],
])('%s is %s', (searched, outcome) => {
  const [type = '', query = ''] = searched.split('?');
  const expected = search(space, type, query);
  const result = expected === undefined ? 400 : (expected.inside?.unsupported ?? 'stored');
  expect(result).toBe(outcome);
});
