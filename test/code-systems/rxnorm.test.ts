/** RxNorm as it is read from its RRF files. */
import { RXNORM } from './rxnorm-sample';
import { conceptsOf, makeSamples, open, readAll, type Files } from './samples';

let samples: Awaited<ReturnType<typeof makeSamples>>;
beforeAll(async () => {
  samples = await makeSamples();
});
afterAll(() => samples.remove());

const openChanged = async (name: string, files: Partial<Files>) =>
  open('rxnorm', await samples.write(name, files));

it('has the concepts that it names itself, with their relations and attributes', async () => {
  const file = await open('rxnorm', await samples.write('rxnorm', RXNORM));
  expect(file.head).toMatchObject({
    ...{ url: 'http://www.nlm.nih.gov/research/umls/rxnorm', version: '07062026' },
  });
  const concepts = await conceptsOf(file);
  expect([...concepts.keys()]).toEqual(['161', '313782', '92584']);
  expect(concepts.get('313782')).toEqual({
    code: '313782',
    display: 'acetaminophen 325 MG Oral Tablet',
    designation: [
      {
        ...{ language: 'en', use: { display: 'PSN' } },
        value: 'acetaminophen 325 MG Oral Tablet (name to prescribe)',
      },
      { language: 'en', use: { display: 'SY' }, value: 'APAP 325 MG Oral Tablet' },
    ],
    property: [
      { code: 'TTY', valueCode: 'SCD' },
      { code: 'has_ingredient', valueCode: '161' },
      { code: 'NDC', valueString: '00045049660' },
      { code: 'STY', valueCode: 'T200' },
    ],
  });
  expect(concepts.get('92584')).toEqual({
    ...{ code: '92584', display: 'Old Brand' },
    property: [
      { code: 'TTY', valueCode: 'BN' },
      { code: 'SUPPRESS', valueCode: 'O' },
      { code: 'inactive', valueBoolean: true },
    ],
  });
});

it('is read from RXNCONSO.RRF alone, and a line that is none is named', async () => {
  const text = RXNORM['rrf/RXNCONSO.RRF'] ?? '';
  const folder = await samples.write('RxNorm_full_08032026', { 'rrf/RXNCONSO.RRF': text });
  const file = await open('rxnorm', folder);
  expect(file.head['version']).toBe('08032026');
  expect((await conceptsOf(file)).size).toBe(3);
  const broken = openChanged('rxnorm-broken', { 'RXNCONSO.RRF': `${text}161|ENG\n` });
  await expect(broken.then(readAll)).rejects.toThrow(
    /RXNCONSO\.RRF, line 8: there are 2 fields, and 19 expected/,
  );
});
