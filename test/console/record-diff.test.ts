import { parseJson, type JsonObject, type JsonValue } from '../../console/src/api/json';
import { diffOf, pathsOf, withoutServerMeta, writePath } from '../../console/src/fhir/compare/diff';

const PATIENT: JsonObject = {
  resourceType: 'Patient',
  id: 'ann',
  birthDate: '1980-01-01',
  name: [{ family: 'Doe', given: ['Ann', 'Maria'] }],
};

function changesOf(before: JsonObject, after: JsonObject): readonly JsonValue[] {
  return diffOf(before, after).map(({ kind, path, ...values }) => [
    kind,
    writePath(path),
    values.before ?? null,
    values.after ?? null,
  ]);
}

describe('The difference of two versions', () => {
  it('names each changed element with its values', () => {
    const after = { ...PATIENT, birthDate: '1980-01-02', name: [{ family: 'Roe', given: ['Ann', 'Maria'] }] };
    expect(changesOf(PATIENT, after)).toEqual([
      ['changed', 'birthDate', '1980-01-01', '1980-01-02'],
      ['changed', 'name[0].family', 'Doe', 'Roe'],
    ]);
    expect(pathsOf(diffOf(PATIENT, after))).toEqual({ paths: ['birthDate', 'name[0].family'], more: 0 });
    expect(pathsOf(diffOf(PATIENT, after), 1)).toEqual({ paths: ['birthDate'], more: 1 });
  });

  it('names what was added and what was removed', () => {
    const { birthDate, ...rest } = PATIENT;
    expect(changesOf(PATIENT, { ...rest, active: true })).toEqual([
      ['added', 'active', null, true],
      ['removed', 'birthDate', birthDate, null],
    ]);
  });

  it('is nothing when only the order of members differs', () => {
    const names = Object.keys(PATIENT).toReversed();
    expect(diffOf(PATIENT, Object.fromEntries(names.map((name) => [name, PATIENT[name]])))).toEqual([]);
  });

  it('is one added item when one is inserted before others', () => {
    const telecom = [{ value: '1' }, { value: '2' }];
    const before = { ...PATIENT, telecom };
    const after = { ...PATIENT, telecom: [{ value: '0' }, ...telecom] };
    expect(changesOf(before, after)).toEqual([['added', 'telecom[0]', null, { value: '0' }]]);
    expect(changesOf(after, before)).toEqual([['removed', 'telecom[0]', { value: '0' }, null]]);
  });

  it('compares the items of a list that became another one in their order', () => {
    const after = { ...PATIENT, name: [{ family: 'Doe', given: ['Anna', 'Maria'] }, { text: 'Ann' }] };
    expect(changesOf(PATIENT, after)).toEqual([
      ['changed', 'name[0].given[0]', 'Ann', 'Anna'],
      ['added', 'name[1]', null, { text: 'Ann' }],
    ]);
  });

  it('sees that a decimal has more digits', () => {
    const [before, after] = ['{"valueDecimal":1.0}', '{"valueDecimal":1.00}'].map(parseJson);
    expect(diffOf(before as JsonObject, after as JsonObject)).toHaveLength(1);
  });

  it('stays fast for long lists', () => {
    const long = (shift: number): JsonObject => ({
      item: Array.from({ length: 5_000 }, (_, index) => ({ linkId: String(index + shift) })),
    });
    expect(diffOf(long(0), long(1))).toHaveLength(5_000);
  });

  it('leaves out what the server writes into meta, and nothing else of it', () => {
    const extension = (name: string): JsonObject => ({
      url: `https://andiron.example/fhir/StructureDefinition/${name}`,
    });
    const meta = {
      versionId: '3',
      lastUpdated: '2026-11-28T00:00:00Z',
      extension: [extension('version-sequence'), extension('author'), extension('search-parameter-failed')],
    };
    expect(withoutServerMeta({ ...PATIENT, meta })).toEqual(PATIENT);
    const own = { tag: [{ code: 'x' }], extension: [{ url: 'http://example.org/own' }] };
    const both = { ...meta, ...own, extension: [...meta.extension, ...own.extension] };
    expect(withoutServerMeta({ ...PATIENT, meta: both })).toEqual({ ...PATIENT, meta: own });
  });
});
