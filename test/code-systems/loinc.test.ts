/** LOINC as it is read from its release. */
import path from 'node:path';
import { LOINC } from './loinc-sample';
import { conceptsOf, makeSamples, open, readAll, type Files } from './samples';

let samples: Awaited<ReturnType<typeof makeSamples>>;
beforeAll(async () => {
  samples = await makeSamples();
});
afterAll(() => samples.remove());

const openChanged = async (name: string, files: Partial<Files>) =>
  open('loinc', await samples.write(name, files));

const TERMS = 'LoincTable/Loinc.csv';

it('has terms with their parts, names and translations', async () => {
  const file = await open('loinc', await samples.write('Loinc_2.81', LOINC));
  expect(file.head).toMatchObject({ url: 'http://loinc.org', version: '2.81', caseSensitive: false });
  const concepts = await conceptsOf(file);
  expect([...concepts.keys()]).toEqual([
    ...['LP99900-1', 'LP99901-9', 'LP99902-7', 'LA99990-4', '99991-1', '99992-9'],
  ]);
  expect(concepts.get('LP99902-7')).toEqual({
    ...{ code: 'LP99902-7', display: 'Light' },
    property: [{ code: 'parent', valueCode: 'LP99900-1' }],
  });
  expect(concepts.get('LA99990-4')).toEqual({ code: 'LA99990-4', display: 'It sparkles' });
  expect(concepts.get('99991-1')).toEqual({
    code: '99991-1',
    display: 'Sparkle [Mass/volume] in Unicorn',
    definition: 'How much it "sparkles"',
    designation: [
      {
        ...{ language: 'en-US', value: 'Sparkle Uni-mCnc' },
        use: { system: 'http://loinc.org', code: 'SHORTNAME' },
      },
      {
        ...{ language: 'en-US', value: 'Sparkle' },
        use: { system: 'http://loinc.org', code: 'CONSUMER_NAME' },
      },
      {
        ...{ language: 'en-US', value: 'Sparkle (Unicorn) [Mass/Vol]' },
        use: { system: 'http://loinc.org', code: 'DisplayName' },
      },
      { language: 'de-AT', value: 'Glanz [Masse/Volumen] in Einhorn' },
      {
        ...{ language: 'de-AT', value: 'Glanz Einh' },
        use: { system: 'http://loinc.org', code: 'SHORTNAME' },
      },
    ],
    property: [
      { code: 'parent', valueCode: 'LP99901-9' },
      { code: 'parent', valueCode: 'LP99902-7' },
      { code: 'STATUS', valueString: 'ACTIVE' },
      { code: 'COMPONENT', valueString: 'Sparkle' },
      { code: 'PROPERTY', valueString: 'MCnc' },
      { code: 'TIME_ASPCT', valueString: 'Pt' },
      { code: 'SYSTEM', valueString: 'Unicorn' },
      { code: 'SCALE_TYP', valueString: 'Qn' },
      { code: 'CLASS', valueString: 'CHEM' },
      { code: 'CLASSTYPE', valueString: '1' },
      { code: 'ORDER_OBS', valueString: 'Both' },
      { code: 'EXAMPLE_UCUM_UNITS', valueString: 'mg/dL' },
      { code: 'VersionLastChanged', valueString: '2.79' },
      { code: 'copyright', valueString: 'LOINC' },
    ],
  });
  const deprecated = concepts.get('99992-9');
  expect(deprecated?.['property']).toContainEqual({ code: 'inactive', valueBoolean: true });
  expect(deprecated?.['property']).toContainEqual({ code: 'copyright', valueString: '3rdParty' });
  expect(deprecated?.['designation']).toContainEqual({
    ...{ language: 'en-US', value: 'Glitter, any' },
    use: { system: 'http://loinc.org', code: 'CONSUMER_NAME' },
  });
  expect(deprecated?.['designation']).toContainEqual({
    ...{ language: 'de-AT', value: 'Glitzer:MKonz:Zpkt:Einhorn:Qn:Auge' },
  });
});

it('is read from Loinc.csv alone, whose newest change is its version', async () => {
  const folder = await samples.write('terms', { 'Loinc.csv': LOINC[TERMS] ?? '' });
  const file = await open('loinc', path.join(folder, 'Loinc.csv'));
  expect(file.head['version']).toBe('2.80');
  expect([...(await conceptsOf(file)).keys()]).toEqual(['99991-1', '99992-9']);
  const named = await open('loinc', folder, { version: '2.79' });
  expect(named.head['version']).toBe('2.79');
  expect(named.digest).not.toEqual(file.digest);
});

it('names the file and line that cannot be read', async () => {
  const [first = '', ...others] = (LOINC[TERMS] ?? '').split('\r\n');
  const lacking = openChanged('loinc-lacking', {
    [TERMS]: [first.replace('STATUS', 'STATE'), ...others].join('\r\n'),
  });
  await expect(lacking.then(readAll)).rejects.toThrow(/Loinc\.csv: there is no column 'STATUS'/);
  const short = openChanged('loinc-short', { [TERMS]: `${first}\r\n"99991-1","Sparkle"\r\n` });
  await expect(short.then(readAll)).rejects.toThrow(/Loinc\.csv: .*line 2/);
  const none = openChanged('loinc-none', { ...LOINC, [TERMS]: undefined });
  await expect(none).rejects.toThrow(/loinc-none: there is no Loinc\.csv$/);
  const packed = openChanged('loinc-packed', { 'Loinc_2.81.zip': 'PK' });
  await expect(packed).rejects.toThrow('there is no Loinc.csv; unpack the ZIP archives in it first');
  await expect(open('loinc', 'Loinc_2.81.zip')).rejects.toThrow('a ZIP archive is not read; unpack it');
  await expect(open('loinc', 'nowhere')).rejects.toThrow('nowhere: it does not exist');
  await expect(open('loinc', 'nowhere', { url: 'http://loinc.org' })).rejects.toThrow(
    '--url is not allowed with --format loinc: the files say it',
  );
});
