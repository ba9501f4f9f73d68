/** ICD-10-CM as it is read from its order file. */
import path from 'node:path';
import { ICD10CM } from './icd10cm-sample';
import { conceptsOf, makeSamples, open, readAll, type Files } from './samples';

let samples: Awaited<ReturnType<typeof makeSamples>>;
beforeAll(async () => {
  samples = await makeSamples();
});
afterAll(() => samples.remove());

const openChanged = async (name: string, files: Partial<Files>) =>
  open('icd10cm', await samples.write(name, files));

it('has codes with dots below their headers', async () => {
  const file = await open('icd10cm', await samples.write('icd', ICD10CM));
  expect(file.head).toMatchObject({ url: 'http://hl7.org/fhir/sid/icd-10-cm', version: '2026' });
  const concepts = await conceptsOf(file);
  expect([...concepts.keys()]).toEqual(['A00', 'A00.0', 'S72.0', 'S72.001', 'S72.001A']);
  expect(concepts.get('A00')).toEqual({
    ...{ code: 'A00', display: 'Cholera' },
    property: [
      { code: 'order', valueInteger: 1 },
      { code: 'notSelectable', valueBoolean: true },
    ],
  });
  expect(concepts.get('S72.001A')).toEqual({
    code: 'S72.001A',
    display: 'Fracture of unspecified part of neck of right femur, initial encounter for closed fracture',
    designation: [
      {
        ...{ language: 'en', use: { display: 'Short description' } },
        value: 'Fracture of unsp part of neck of right femur, init',
      },
    ],
    property: [
      { code: 'order', valueInteger: 5 },
      { code: 'parent', valueCode: 'S72.001' },
    ],
  });
  expect(concepts.get('S72.001')?.['property']).toContainEqual({ code: 'parent', valueCode: 'S72.0' });
});

it('of an update has its month in the version, and a line that is none is named', async () => {
  const text = ICD10CM['icd10cm-order-2026.txt'] ?? '';
  const folder = await samples.write('icd-update', {
    'icd10cm-order-April-2026.txt': `${text}A000 Cholera\r\n`,
  });
  const file = await open('icd10cm', path.join(folder, 'icd10cm-order-April-2026.txt'));
  expect(file.head['version']).toBe('2026-04');
  await expect(readAll(file)).rejects.toThrow(
    /icd10cm-order-April-2026\.txt, line 6: it has not the columns of an ICD-10-CM order file/,
  );
  await expect(openChanged('icd-none', { 'icd10cm-codes-2026.txt': '' })).rejects.toThrow(
    'there is no order file (icd10cm-order-2026.txt)',
  );
});
