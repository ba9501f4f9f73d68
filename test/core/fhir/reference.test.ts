import { createReferenceResolver, parseReference } from '../../../src/core/fhir/reference';
import { leastProcessorMilliseconds } from '../../support/processor-time';

describe('a reference is read', () => {
  test.each([
    ['Patient/1', { kind: 'relative', type: 'Patient', id: '1' }],
    ['Patient/a.b-C/_history/3', { kind: 'relative', type: 'Patient', id: 'a.b-C', versionId: '3' }],
    ['#p1', { kind: 'fragment', id: 'p1' }],
    ['#', { kind: 'fragment', id: '' }],
    ['urn:uuid:61ebe359-bfdc-4613-8bf2-c5e300945f0a', { kind: 'urn' }],
    ['urn:oid:1.2.3', { kind: 'urn' }],
    ['Patient?identifier=a|b', { kind: 'conditional', type: 'Patient' }],
    [
      'http://a.example/fhir/Patient/1',
      { kind: 'absolute', base: 'http://a.example/fhir', type: 'Patient', id: '1' },
    ],
    [
      'https://a.example/Patient/1/_history/2',
      { kind: 'absolute', base: 'https://a.example', type: 'Patient', id: '1', versionId: '2' },
    ],
    ['http://a.example/fhir/metadata', { kind: 'absolute' }],
    ['http://snomed.info/sct', { kind: 'absolute' }],
    ['', { kind: 'other' }],
    ['Patient', { kind: 'other' }],
    ['Patient/', { kind: 'other' }],
    ['Patient?', { kind: 'conditional', type: 'Patient' }],
    ['?identifier=1', { kind: 'other' }],
    ['patient/1', { kind: 'other' }],
    ['Patient/..', { kind: 'other' }],
    ['Patient/a b', { kind: 'other' }],
    ['Patient/1\n', { kind: 'other' }],
    [`Patient/${'x'.repeat(65)}`, { kind: 'other' }],
    ['/Patient/1', { kind: 'other' }],
    ['Patient/1/_history/', { kind: 'other' }],
  ])('%j', (text, expected) => {
    expect(parseReference(text)).toEqual(expected);
  });

  test('however long it is, in good time', () => {
    const spent = leastProcessorMilliseconds(1000, () => {
      for (const text of [
        'http://a/' + 'A/a/'.repeat(1_000_000),
        'A'.repeat(5_000_000),
        `http://${'/'.repeat(3_000_000)}`,
      ]) {
        parseReference(text);
      }
    });
    expect(spent).toBeLessThan(1000);
  });
});

const ours = 'https://fhir.example/base/w/acme/api/v1/fhir/r4';
const options = {
  ownAddresses: ['https://fhir.example/base', 'http://second.example:8080/'],
  tenant: 'acme',
  release: 'r4',
  resourceTypes: ['Patient', 'Organization'],
} as const;
const resolver = createReferenceResolver(options);

describe('a reference to a resource of this space is local', () => {
  test.each([
    ['Patient/1', { type: 'Patient', id: '1' }],
    [`${ours}/Patient/1`, { type: 'Patient', id: '1' }],
    ['http://second.example:8080/w/acme/api/v1/fhir/r4/Organization/x', { type: 'Organization', id: 'x' }],
    [`${ours}/Patient/1/_history/2`, { type: 'Patient', id: '1', versionId: '2' }],
  ])('%s', (reference, expected) => {
    expect(resolver.local(reference)).toEqual(expected);
    expect(resolver.leaves(reference)).toBe(false);
  });
});

describe('a reference to the outside is a token', () => {
  test.each([
    'http://hl7.org/fhir/Patient/1',
    'https://other.example/base/w/other/api/v1/fhir/r4/Patient/1',
    'https://fhir.example.org/base/w/other/api/v1/fhir/r4/Patient/1',
    'https://notfhir.example/base/w/other/api/v1/fhir/r4/Patient/1',
    'https://fhir.example:8443/base/w/other/api/v1/fhir/r4/Patient/1',
    'https://fhir.example/w/other/api/v1/fhir/r4/Patient/1',
    'https://fhir.example/base/StructureDefinition/x',
    'urn:uuid:61ebe359-bfdc-4613-8bf2-c5e300945f0a',
    '#p1',
    '',
    'Device/1',
    'Patient?identifier=https://fhir.example/base/w/other/x',
    ours,
    `${ours}/`,
    `${ours}/metadata`,
    `${ours}/Patient?name=a%2fb`,
    `${ours}/Patient/not valid`,
    `${ours}/ValueSet/a|1.0`,
    'https://fhir.example/base/w/acme',
    'https://fhir.example/base/w/acme/oidc/token',
    'https://[::1/w/other',
  ])('%s', (reference) => {
    expect(resolver.local(reference)).toBeUndefined();
    expect(resolver.leaves(reference)).toBe(false);
  });
});

describe('a reference to another tenant or release leaves the space', () => {
  test.each([
    'https://fhir.example/base/w/other/api/v1/fhir/r4/Patient/1',
    'https://fhir.example/base/w/acme/api/v1/fhir/r4b/Patient/1',
    'https://fhir.example/base/w/acme/api/v1/fhir/r4b',
    'https://fhir.example/base/w/acme-2/api/v1/fhir/r4/Patient/1',
    'https://fhir.example/base/w/other/api/v1/fhir/r4/ValueSet/x|1.0',
    'https://fhir.example/base/w/other/oidc/token',
    'https://fhir.example/base/w/other',
    'http://second.example:8080/w/other/api/v1/fhir/r4/Patient/1',
  ])('%s', (reference) => {
    expect(resolver.leaves(reference)).toBe(true);
    expect(resolver.local(reference)).toBeUndefined();
  });
});

describe('a url similar to an address of this server is refused', () => {
  test.each([
    'http://fhir.example/base/w/other/api/v1/fhir/r4/Patient/1',
    'HTTPS://fhir.example/base/w/other/api/v1/fhir/r4/Patient/1',
    'https://FHIR.example/base/w/other/api/v1/fhir/r4/Patient/1',
    'https://fhir.example:443/base/w/other/api/v1/fhir/r4/Patient/1',
    'http://fhir.example:80/base/w/other/api/v1/fhir/r4/Patient/1',
    'https://fhir.example./base/w/other/api/v1/fhir/r4/Patient/1',
    'https://user:secret@fhir.example/base/w/other/api/v1/fhir/r4/Patient/1',
    'https://fhir%2eexample/base/w/other/api/v1/fhir/r4/Patient/1',
    'https:\\\\fhir.example\\base\\w\\other\\api',
    ' https://fhir.example/base/w/other/api/v1/fhir/r4/Patient/1',
    'ht\ntps://fhir.example/base/w/other/api/v1/fhir/r4/Patient/1',
    'https://fhir.example/base/%77/other/api/v1/fhir/r4/Patient/1',
    'https://fhir.example/base/w/%6fther/api/v1/fhir/r4/Patient/1',
    'https://fhir.example/base%2fw%2fother%2fapi',
    'https://fhir.example/base/w/OTHER/api/v1/fhir/r4/Patient/1',
    'https://fhir.example/BASE/W/other/API/v1/fhir/r4/Patient/1',
    'https://fhir.example//base//w//other/api/v1/fhir/r4/Patient/1',
    'https://fhir.example/base/./w/other/api/v1/fhir/r4/Patient/1',
    'https://fhir.example/x/../base/w/other/api/v1/fhir/r4/Patient/1',
    `${ours}/../r4b/Patient/1`,
    `${ours}/%2e%2e/r4b/Patient/1`,
    `${ours}/..%2fr4b/Patient/1`,
    `${ours}/..%252fr4b/Patient/1`,
    `${ours}/../../../../../other/api/v1/fhir/r4/Patient/1`,
    'https://fhir.example/base/w/acme/api/v1/fhir/r%34b/Patient/1',
    'https://fhir.example/base/w/acme/api/v1/fhir/R4B/Patient/1',
    // This space in another spelling: neither local nor a harmless token.
    'http://fhir.example/base/w/acme/api/v1/fhir/r4/Patient/1',
    'https://fhir.example/base/w/ACME/api/v1/fhir/r4/Patient/1',
    'https://fhir.example/base/w/acme/api/v1/fhir/R4/Patient/1',
    'https://fhir.example/base/w/%61cme/api/v1/fhir/r4/Patient/1',
    // Relative to the address of the resource.
    '../../../../../other/api/v1/fhir/r4/Patient/1',
    '../r4b/Patient/1',
    'Patient/../../r4b/Patient/1',
    '%2e%2e/r4b/Patient/1',
    '/base/w/other/api/v1/fhir/r4/Patient/1',
    '//fhir.example/base/w/other/api/v1/fhir/r4/Patient/1',
    '\\base\\w\\other\\api',
  ])('%j', (reference) => {
    expect(resolver.leaves(reference)).toBe(true);
    expect(resolver.local(reference)).toBeUndefined();
  });

  test('two public addresses of one host both belong to the server', () => {
    const both = createReferenceResolver({
      ...options,
      ownAddresses: ['https://a.example', 'http://a.example'],
    });
    expect(both.leaves('http://a.example/w/acme/api/v1/fhir/r4/Patient/1')).toBe(false);
    expect(both.local('http://a.example/w/acme/api/v1/fhir/r4/Patient/1')).toEqual({
      type: 'Patient',
      id: '1',
    });
    expect(both.leaves('http://a.example/w/other/api/v1/fhir/r4/Patient/1')).toBe(true);
  });

  test('without a public address relative paths still may not climb out', () => {
    const none = createReferenceResolver({ ...options, ownAddresses: [] });
    expect(none.leaves('../r4b/Patient/1')).toBe(true);
    expect(none.leaves('/w/other/api/v1/fhir/r4/Patient/1')).toBe(true);
    expect(none.leaves('Patient/1')).toBe(false);
    expect(none.leaves('https://fhir.example/w/other/api/v1/fhir/r4/Patient/1')).toBe(false);
  });

  test('endless texts are judged in good time', () => {
    const spent = leastProcessorMilliseconds(10_000, () => {
      for (const text of [
        `${ours}/${'../'.repeat(1_000_000)}`,
        `https://fhir.example/${'%25'.repeat(1_000_000)}`,
      ]) {
        resolver.leaves(text);
      }
    });
    expect(spent).toBeLessThan(10_000);
  });
});
