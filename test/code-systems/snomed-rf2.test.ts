/** SNOMED CT as it is read from RF2 files. */
import { SNOMED, SNOMED_NATIONAL } from './snomed-rf2-sample';
import { conceptsOf, makeSamples, open, readAll, type Files } from './samples';

let samples: Awaited<ReturnType<typeof makeSamples>>;
beforeAll(async () => {
  samples = await makeSamples();
});
afterAll(() => samples.remove());

const openChanged = async (name: string, files: Partial<Files>) =>
  open('snomed-rf2', await samples.write(name, files));

const PREFERRED = {
  system: 'http://terminology.hl7.org/CodeSystem/hl7TermMaintInfra',
  code: 'preferredForLanguage',
};
const SYNONYM = { system: 'http://snomed.info/sct', code: '900000000000013009' };
const FSN = { system: 'http://snomed.info/sct', code: '900000000000003001' };

it('has concepts with their terms by language, their parents and their attributes', async () => {
  const file = await open('snomed-rf2', await samples.write('snomed', SNOMED));
  expect(file.head).toMatchObject({
    ...{ url: 'http://snomed.info/sct', language: 'en-US' },
    version: 'http://snomed.info/sct/900000000000207008/version/20260101',
  });
  const concepts = await conceptsOf(file);
  expect([...concepts.keys()]).toEqual([
    ...['999000000', '999000001', '999000002', '999000003', '999000009'],
  ]);
  expect(concepts.get('999000001')).toEqual({
    code: '999000001',
    display: 'Gray unicorn',
    designation: [
      { language: 'en', use: FSN, value: 'Gray unicorn (creature)' },
      { language: 'en-GB', use: PREFERRED, value: 'Grey unicorn' },
      { language: 'en', use: PREFERRED, value: 'Gray unicorn' },
      { language: 'en', use: SYNONYM, value: 'A 5" gray "unicorn' },
    ],
    property: [
      { code: 'parent', valueCode: '999000000' },
      { code: 'moduleId', valueCode: '900000000000207008' },
      { code: 'sufficientlyDefined', valueBoolean: false },
    ],
  });
  expect(concepts.get('999000002')?.['property']).toEqual([
    { code: 'parent', valueCode: '999000001' },
    { code: '999000009', valueCode: '999000003' },
    { code: 'moduleId', valueCode: '900000000000207008' },
    { code: 'sufficientlyDefined', valueBoolean: true },
  ]);
  // Without a synonym, its full name is the display.
  expect(concepts.get('999000003')).toMatchObject({
    display: 'Old unicorn (creature)',
    property: [
      { code: 'inactive', valueBoolean: true },
      { code: 'moduleId' },
      { code: 'sufficientlyDefined' },
    ],
  });
});

it('of a national extension has its module and its language', async () => {
  const file = await open('snomed-rf2', await samples.write('national', SNOMED_NATIONAL));
  expect(file.head).toMatchObject({
    ...{ language: 'sv', version: 'http://snomed.info/sct/551000999104/version/20260315' },
  });
  const concepts = await conceptsOf(file);
  expect(concepts.get('999000001')).toMatchObject({ display: 'grå enhörning' });
  expect(concepts.get('999000000')).toMatchObject({ display: 'Unicorn' });
  expect(concepts.get('771000999107')).toMatchObject({
    ...{ display: 'svensk enhörning' },
    property: [
      { code: 'parent', valueCode: '999000000' },
      { code: 'moduleId', valueCode: '551000999104' },
      { code: 'sufficientlyDefined' },
    ],
  });
});

it('takes the newest state of a concept that is in two packages', async () => {
  const own = 'National/sct2_Concept_Snapshot_XX1000999_20260315.txt';
  const moved =
    '999000001\t20260315\t0\t551000999104\t900000000000074008\r\n' +
    '999000002\t20250315\t0\t551000999104\t900000000000074008\r\n';
  const file = await openChanged('snomed-moved', {
    ...SNOMED_NATIONAL,
    [own]: (SNOMED_NATIONAL[own] ?? '') + moved,
  });
  const concepts = await conceptsOf(file);
  const inactive = { code: 'inactive', valueBoolean: true };
  const moduleOf = (valueCode: string) => ({ code: 'moduleId', valueCode });
  expect(concepts.get('999000001')?.['property']).toEqual(
    expect.arrayContaining([inactive, moduleOf('551000999104')]),
  );
  expect(concepts.get('999000002')?.['property']).toContainEqual(moduleOf('900000000000207008'));
  expect(concepts.get('999000002')?.['property']).not.toContainEqual(inactive);
});

it('names the file and line that cannot be read', async () => {
  const name = 'Snapshot/Terminology/sct2_Relationship_Snapshot_INT_20260101.txt';
  const concepts = 'Snapshot/Terminology/sct2_Concept_Snapshot_INT_20260101.txt';
  const broken = (text: string) => openChanged(`snomed-${text.length}`, { ...SNOMED, [name]: text });
  await expect(broken(`${SNOMED[name]}1\t2\r\n`).then(readAll)).rejects.toThrow(
    /sct2_Relationship_Snapshot_INT_20260101\.txt, line 7: there are 2 fields, and 10 expected/,
  );
  await expect(broken((SNOMED[name] ?? '').replace('typeId', 'kindId')).then(readAll)).rejects.toThrow(
    /Relationship.*, line 1: it does not name the columns id, effectiveTime/,
  );
  const lacking = openChanged('snomed-lacking', { ...SNOMED, [name]: undefined });
  await expect(lacking).rejects.toThrow(
    'there is no file sct2_Relationship_Snapshot…txt; name the folder of a release with its Snapshot',
  );
  const twice = openChanged('snomed-twice', {
    ...SNOMED,
    [concepts.replace('20260101', '20250701')]: SNOMED[concepts],
  });
  await expect(twice).rejects.toThrow('name the folder of one release, there are several');
  const unknown = openChanged('snomed-unknown', {
    ...{ [name]: SNOMED[name], [concepts.replace('INT', 'XX1000998')]: SNOMED[concepts] },
    'sct2_Description_Snapshot-en_XX1000998_20260101.txt':
      SNOMED['Snapshot/Terminology/sct2_Description_Snapshot-en_INT_20260101.txt'],
  });
  await expect(unknown).rejects.toThrow(
    'name the edition by --version http://snomed.info/sct/MODULE/version/DATE',
  );
});
