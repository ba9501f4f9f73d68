import { containedBase, MAX_CONTAINED, ROW_SCHEME } from '../../../src/core/search/index-rows';
import type { JsonObject } from '../../../src/core/fhir/json';
import { loadDefinitions } from '../../../src/core/fhir/definitions';
import { index, makeExtractor } from './indexed';

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

  it('do not follow a reference to another server than that of the document', () => {
    const outside = document({ subject: { reference: 'http://b.example/Patient/a' } }, patient('a'));
    expect(blocksOf(outside)).toEqual(['Composition']);
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
