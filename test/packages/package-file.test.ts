import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { PackageError, readPackage } from '../../src/packages/package-file';
import { makeFolder, packFiles, tarEntry, writePacked, type TarFormat } from './make-package';

let folder: string;
let remove: () => Promise<void>;
beforeAll(async () => {
  ({ folder, remove } = await makeFolder());
});
afterAll(() => remove());

const LARGEST = 1_000_000;
const MANIFEST = { name: 'clinic.example', version: '1.2.0', fhirVersions: ['4.0.1'] };

describe('A package', () => {
  it.each<[TarFormat]>([['ustar'], ['pax'], ['gnu']])(
    'is read as tar writes it in the format %s, long names and all',
    async (format) => {
      const long = `ValueSet-${'very-'.repeat(format === 'ustar' ? 15 : 40)}long.json`;
      const file = await packFiles(
        folder,
        `${format}.tgz`,
        {
          'package/package.json': JSON.stringify({
            ...MANIFEST,
            dependencies: { 'hl7.fhir.r4.core': '4.0.1' },
          }),
          'package/.index.json': '{}',
          [`package/${long}`]: '{"a":1}',
          'package/Änderung.json': '{"b":"ü"}',
          'package/example/Patient-a.json': '{"c":1}',
          'package/other/spec.json': '{}',
          'package/xml/ValueSet-a.xml': '<a/>',
          'README.json': '{}',
        },
        format,
      );
      const { manifest, entries } = await readPackage(file, LARGEST);
      expect(manifest).toEqual({ ...MANIFEST, dependencies: new Map([['hl7.fhir.r4.core', '4.0.1']]) });
      const sorted = [...entries].sort((one, other) => (one.name < other.name ? -1 : 1));
      expect(sorted).toEqual([
        { name: long, isExample: false, text: '{"a":1}' },
        { name: 'example/Patient-a.json', isExample: true, text: '{"c":1}' },
        { name: 'Änderung.json', isExample: false, text: '{"b":"ü"}' },
      ]);
    },
  );

  it('names its own folder of examples, and lists files that are too large without their text', async () => {
    const file = await packFiles(folder, 'folders.tgz', {
      'package/package.json': JSON.stringify({ ...MANIFEST, directories: { example: 'samples' } }),
      'package/samples/Patient-a.json': '{}',
      'package/tests/Patient-b.json': '{}',
      'package/ValueSet-large.json': `"${'x'.repeat(LARGEST)}"`,
    });
    const { entries } = await readPackage(file, LARGEST);
    expect(entries).toHaveLength(2);
    expect(entries).toContainEqual({ name: 'samples/Patient-a.json', isExample: true, text: '{}' });
    expect(entries).toContainEqual({ name: 'ValueSet-large.json', isExample: false, text: undefined });
  });
});

/** Reads the file in a program of its own: returns the refusal, and the greatest growth of the program in bytes. */
async function refuseAlone(file: string): Promise<{ refusal: string; grown: number }> {
  const compiled = path.resolve(__dirname, '..', '..', 'dist', 'src', 'packages', 'package-file.js');
  const program = `
    const { readPackage } = require(${JSON.stringify(compiled)});
    const before = process.resourceUsage().maxRSS;
    readPackage(${JSON.stringify(file)}, ${LARGEST}).then(
      () => process.exit(1),
      (error) => {
        const grown = (process.resourceUsage().maxRSS - before) * 1024;
        console.log(JSON.stringify({ refusal: error.message, grown }));
      },
    );`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program]);
  return JSON.parse(stdout) as { refusal: string; grown: number };
}

describe('A file that is no package is refused in one line:', () => {
  const refused = async (file: string, words: string): Promise<void> => {
    const thrown: unknown = await readPackage(file, LARGEST).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(PackageError);
    expect(String(thrown)).toContain(words);
    expect(String(thrown)).not.toContain('\n');
  };

  it('a missing one', () => refused(path.join(folder, 'nothing.tgz'), 'There is no file'));

  it('one that is not compressed', async () => {
    const file = path.join(folder, 'plain.tgz');
    await writeFile(file, tarEntry('package/package.json', Buffer.from('{}')));
    await refused(file, 'it is not a gzip file');
  });

  it('one that is no archive', async () => {
    await refused(
      await writePacked(folder, 'text.tgz', Buffer.alloc(2_000, 'abc')),
      'it is not a tar archive',
    );
  });

  it('one that was cut off', async () => {
    const entry = tarEntry('package/package.json', Buffer.from('{}'), 5_000);
    await refused(await writePacked(folder, 'cut.tgz', entry), 'it ends in the middle of a file');
  });

  it.each([
    ['without package.json', undefined, 'it has no package/package.json'],
    ['with a package.json that is no JSON', '{', 'package.json is wrong'],
    ['with a package.json that is a list', '[]', 'package.json is not an object'],
    ['with a package.json without a version', '{"name":"a"}', 'package.json has no name or no version'],
  ])('one %s', async (name, manifest, words) => {
    const files = {
      'package/a.json': '{}',
      ...(manifest === undefined ? {} : { 'package/package.json': manifest }),
    };
    await refused(await packFiles(folder, `${name}.tgz`, files), words);
  });

  it('one with more entries than any guide has', async () => {
    const entry = tarEntry('package/a.json', Buffer.alloc(0));
    await refused(
      await writePacked(folder, 'many.tgz', Buffer.concat(Array.from({ length: 50_001 }, () => entry))),
      'more than 50000 entries',
    );
  });

  it('one that unpacks to more than it may, without reading the rest', async () => {
    const file = path.join(folder, 'bomb.tgz');
    // A gzip file may have many members, one after the other.
    const header = gzipSync(tarEntry('package/other.bin', Buffer.alloc(0), 8 ** 11 - 1));
    const zeros = gzipSync(Buffer.alloc(16 * 1024 * 1024));
    await writeFile(file, Buffer.concat([header, ...Array.from({ length: 69 }, () => zeros)]));
    const { refusal, grown } = await refuseAlone(file);
    expect(refusal).toContain('unpacked it has more than 1073741824 bytes');
    // To keep it all would take a gigabyte.
    expect(grown).toBeLessThan(200 * 1024 * 1024);
  });

  it('one with a header for the next entry that is a file itself', async () => {
    const header = tarEntry('././@LongLink', Buffer.alloc(2_000_000, 'a'), 2_000_000, 'L');
    await refused(await writePacked(folder, 'header.tgz', header), 'a header of more than 1 MB');
  });
});
