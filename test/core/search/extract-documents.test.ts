import {
  containedBase,
  containedNumber,
  MAX_CONTAINED,
  ROW_SCHEME,
} from '../../../src/core/search/rows/index-rows';
import type { JsonObject } from '../../../src/core/fhir/json';
import { loadDefinitions } from '../../../src/core/fhir/definitions';
import { hasher, index, makeExtractor, target } from './indexed';

const { typeNumber } = loadDefinitions('r4');
const BUNDLE = typeNumber('Bundle') ?? 0;

const document = (composition: JsonObject, ...others: readonly JsonObject[]): JsonObject => ({
  resourceType: 'Bundle',
  type: 'document',
  entry: [
    { fullUrl: 'http://a.example/Composition/1', resource: { resourceType: 'Composition', ...composition } },
    ...others,
  ],
});
const patient = (id: string): JsonObject => ({
  fullUrl: `http://a.example/Patient/${id}`,
  resource: { resourceType: 'Patient', id, gender: 'female' },
});
/** The types of the resources of a Bundle that have rows, by block. */
function blocksOf(bundle: JsonObject): (string | undefined)[] {
  const indexed = index(bundle);
  const types = new Map<number, number>();
  for (const { parameter, valueHigh, valueLow } of indexed.rows.tokens) {
    const number = parameter < containedBase(BUNDLE, 0) ? parameter : parameter % 200_000;
    const isMark =
      Math.floor(number / (parameter === number ? 1_000_000 : 10_000)) === ROW_SCHEME.contained / 1_000_000;
    if (isMark && valueHigh !== 0) types.set(valueLow, valueHigh);
  }
  return [...types]
    .sort(([one], [other]) => one - other)
    .map(([, type]) => loadDefinitions('r4').typeName(type));
}

describe('the index rows of a stored document', () => {
  it('are those of its first resource, and of what that refers to', () => {
    expect(
      blocksOf(document({ id: '1', subject: { reference: 'Patient/a' } }, patient('a'), patient('b'))),
    ).toEqual(['Composition', 'Patient']);
    expect(
      blocksOf(
        document({
          author: [{ reference: '#o' }],
          contained: [{ resourceType: 'Organization', id: 'o', name: 'x' }],
        }),
      ),
    ).toEqual(['Composition', 'Organization']);
  });

  it('are also those of what these refer to, once, in circles too', () => {
    const bundle = document(
      { subject: { reference: 'Patient/a' }, author: [{ reference: 'Patient/a' }] },
      {
        fullUrl: 'http://a.example/Patient/a',
        resource: {
          ...{ resourceType: 'Patient', managingOrganization: { reference: 'Organization/o' } },
          generalPractitioner: [{ reference: '#gp' }],
          contained: [
            { resourceType: 'PractitionerRole', id: 'gp', organization: { reference: 'Organization/u' } },
          ],
        },
      },
      {
        fullUrl: 'http://a.example/Organization/o',
        resource: { resourceType: 'Organization', partOf: { reference: 'Organization/u' } },
      },
      {
        fullUrl: 'http://a.example/Organization/u',
        resource: { resourceType: 'Organization', partOf: { reference: 'Organization/o' } },
      },
      patient('b'),
    );
    expect(blocksOf(bundle)).toEqual([
      ...['Composition', 'Patient', 'PractitionerRole', 'Organization', 'Organization'],
    ]);
  });

  it('are those of the first resource of a Bundle inside, which resolves its own references', () => {
    const nested = document({ subject: { reference: 'Patient/a' } }, patient('a'));
    const bundle = document(
      { section: [{ entry: [{ reference: 'urn:uuid:inner' }] }] },
      { fullUrl: 'urn:uuid:inner', resource: nested },
      patient('b'),
    );
    expect(blocksOf(bundle)).toEqual(['Composition', 'Bundle', 'Composition', 'Patient']);
  });

  it('leave room for what the subject refers to, but only where the sections are too long anyway', () => {
    const subject = {
      fullUrl: 'http://a.example/Patient/s',
      resource: { resourceType: 'Patient', managingOrganization: { reference: 'Organization/o' } },
    };
    const house = { fullUrl: 'http://a.example/Organization/o', resource: { resourceType: 'Organization' } };
    const withEntries = (count: number): readonly (string | undefined)[] => {
      const entries = Array.from({ length: count }, (_, number) => patient(`e${number}`));
      const section = [{ entry: entries.map((_, number) => ({ reference: `Patient/e${number}` })) }];
      return blocksOf(document({ subject: { reference: 'Patient/s' }, section }, subject, house, ...entries));
    };
    const places = MAX_CONTAINED - 2;
    expect(withEntries(places).filter((type) => type === 'Patient')).toHaveLength(places + 1);
    expect(withEntries(places)).not.toContain('Organization');
    expect(withEntries(places + 1)).toHaveLength(MAX_CONTAINED);
    expect(withEntries(places + 1).indexOf('Organization')).toBe(2);
  });

  it('do not follow a reference to another server than that of the document', () => {
    const outside = document({ subject: { reference: 'http://b.example/Patient/a' } }, patient('a'));
    expect(blocksOf(outside)).toEqual(['Composition']);
  });

  it('never refer to a resource of this server by a relative reference that leads elsewhere', () => {
    const OURS = 'https://fhir.example/w/acme/api/v1/fhir/r4';
    const [there, urn] = ['http://a.example/fhir', 'urn:uuid:0b9f1c1e-0000-4000-8000-000000000001'];
    const named = (fullUrl: string | undefined): JsonObject => ({
      ...(fullUrl === undefined ? {} : { fullUrl }),
      resource: { resourceType: 'Patient', id: 'a' },
    });
    const subjectsOf = (from: string | undefined, reference: string, ...others: readonly JsonObject[]) => {
      const first = { resourceType: 'Composition', subject: { reference } };
      const bundle = {
        ...{ resourceType: 'Bundle', type: 'document' },
        entry: [{ ...(from === undefined ? {} : { fullUrl: from }), resource: first }, ...others],
      };
      const { references, tokens } = index(bundle).rows;
      const subject = loadDefinitions('r4').searchParameters('Composition').get('subject')?.number ?? 0;
      const isSubject = ({ parameter }: { parameter: number }) =>
        parameter === containedNumber(containedBase(BUNDLE, 1), subject);
      return [
        references.filter(isSubject).map(({ targetHigh, targetLow }) => ({ targetHigh, targetLow })),
        tokens.filter(isSubject).map(({ valueHigh, valueLow }) => ({ valueHigh, valueLow })),
      ];
    };
    const { targetHigh, targetLow } = target('Patient', 'a');
    const here = [[{ targetHigh, targetLow }], []];
    const at = (address: string) => {
      const valueHigh = hasher.text(address);
      return [[], [{ valueHigh, valueLow: hasher.low }]];
    };
    const nowhere = [[], []];
    const cases: [unknown, unknown][] = [
      // An entry of another server: its relative references are those of that server, with and without a target in the Bundle.
      [
        subjectsOf(`${there}/Composition/1`, 'Patient/a', named(`${there}/Patient/a`)),
        at(`${there}/Patient/a`),
      ],
      [subjectsOf(`${there}/Composition/1`, 'Patient/a'), at(`${there}/Patient/a`)],
      [
        subjectsOf(`${there}/Composition/1/_history/3`, 'Patient/a/_history/2'),
        at(`${there}/Patient/a/_history/2`),
      ],
      [
        subjectsOf('https://fhir.example/w/other/api/v1/fhir/r4/Composition/1', 'Patient/a'),
        at('https://fhir.example/w/other/api/v1/fhir/r4/Patient/a'),
      ],
      [subjectsOf('http://a.example/page', 'Patient/a'), nowhere],
      [subjectsOf('HTTP://a.example/fhir/Composition/1', 'Patient/a'), nowhere],
      [subjectsOf('ftp://a.example/Composition/1', 'Patient/a'), nowhere],
      // An entry of this server.
      [subjectsOf(`${OURS}/Composition/1`, 'Patient/a', named(`${OURS}/Patient/a`)), here],
      [subjectsOf(`${OURS}/Composition/1`, 'Patient/a/_history/2'), here],
      [subjectsOf(`${there}/Composition/1`, `${OURS}/Patient/a`), here],
      // An entry without the address of a server: the entry of that name, if there is one.
      [subjectsOf(urn, 'Patient/a'), here],
      [subjectsOf(undefined, 'Patient/a'), here],
      [subjectsOf(urn, 'Patient/a', named(`${OURS}/Patient/a`)), here],
      [subjectsOf(urn, 'Patient/a', named(`${there}/Patient/a`)), at(`${there}/Patient/a`)],
      [subjectsOf(urn, 'Patient/a', named(`${urn}2`)), at(`${urn}2`)],
      [subjectsOf(urn, 'Patient/a/_history/2', named(`${urn}2`)), at(`${urn}2/_history/2`)],
      [subjectsOf(urn, 'Patient/a', named(undefined)), nowhere],
      [subjectsOf(urn, 'Patient/a', named(`${there}/Patient/a`), named(`${OURS}/Patient/a`)), nowhere],
      [subjectsOf(undefined, 'Patient/a', named(`${OURS}/Patient/a`), named(undefined)), nowhere],
    ];
    expect(cases.map(([found]) => found)).toEqual(cases.map(([, expected]) => expected));
  });

  it('say at which address its first resource is, if it is one of such a resource', () => {
    const at = (fullUrl: string) => {
      const resource = { resourceType: 'Composition', id: 'c' };
      const found = index({ resourceType: 'Bundle', type: 'document', entry: [{ fullUrl, resource }] });
      return [found.references('composition').length, found.tokens('composition').length];
    };
    const here = 'https://fhir.example/w/acme/api/v1/fhir/r4';
    const addresses = [`${here}/Composition/c`, `${here}/Composition/other`, `${here}/Patient/c`];
    expect(addresses.map(at)).toEqual([
      [1, 0],
      [1, 0],
      [0, 0],
    ]);
    expect([at('http://a.example/Composition/c'), at('urn:uuid:c')]).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });

  it('know which of both it has', () => {
    const message: JsonObject = {
      resourceType: 'Bundle',
      type: 'message',
      entry: [{ resource: { resourceType: 'MessageHeader' } }],
    };
    const bundles: readonly JsonObject[] = [
      document({}),
      message,
      { resourceType: 'Bundle', type: 'collection', entry: [patient('a')] },
    ];
    expect(
      bundles.map((bundle) => [index(bundle).isPresent('composition'), index(bundle).isPresent('message')]),
    ).toEqual([
      [true, false],
      [false, true],
      [false, false],
    ]);
    expect(index(bundles[2] ?? {}).rows.tokens.every(({ parameter }) => parameter < 1_000_000)).toBe(true);
  });

  it('have room for the subject beside long sections', () => {
    const entries = Array.from({ length: 40 }, (_, number) => patient(`e${number}`));
    const bundle = document(
      {
        subject: { reference: 'Patient/a' },
        section: [{ entry: entries.map((_, number) => ({ reference: `Patient/e${number}` })) }],
      },
      ...entries,
      { ...patient('a'), resource: { resourceType: 'Patient', id: 'a', gender: 'male' } },
    );
    expect(blocksOf(bundle)).toHaveLength(MAX_CONTAINED);
    // The first reference is that of the parameter with the fewest.
    const male = index({ resourceType: 'Patient', gender: 'male' }).tokens('gender')[0]?.valueHigh;
    const found = index(bundle).rows.tokens.filter(({ valueHigh }) => valueHigh === male);
    expect(
      found.map(({ parameter }) => Math.floor((parameter - containedBase(BUNDLE, 0)) / 200_000)),
    ).toEqual([2]);
  });

  it('are left out where the document would have too many, which is stored all the same', () => {
    const codes = (count: number): JsonObject => ({
      section: [{ code: { coding: Array.from({ length: count }, (_, code) => ({ code: `c${code}` })) } }],
    });
    const large = document({ ...codes(200), subject: { reference: 'Patient/a' } }, patient('a'));
    const extract = makeExtractor('r4', 0, 100);
    const { tokens } = extract('Bundle', large);
    expect(tokens.every(({ parameter }) => parameter < 1_000_000)).toBe(true);
    const small = document({ ...codes(80), subject: { reference: 'Patient/a' } }, patient('a'));
    expect(extract('Bundle', small).tokens.length).toBeGreaterThan(80);
    expect(() => extract('Composition', { resourceType: 'Composition', ...codes(200) })).toThrow(
      'more than 100',
    );
  });
});
