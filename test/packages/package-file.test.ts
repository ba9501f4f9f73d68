import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PackageError, readPackage } from '../../src/packages/package-file';
import { readTar } from '../../src/packages/tar';
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

describe('A file that is no package is refused in one line:', () => {
  const refused = async (file: string, words: string): Promise<void> => {
    const thrown: unknown = await readPackage(file, LARGEST).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(PackageError);
    expect(String(thrown)).toContain(words);
    expect(String(thrown)).not.toContain('\n');
  };

  it('a missing one', () => refused(path.join(folder, 'nothing.tgz'), 'does not exist'));

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
    ['with a name that is a path', '{"name":"../a","version":"1"}', 'the name "../a", which is not'],
    ['with a name that ends it', '{"name":"a#b","version":"1"}', 'the name "a#b", which is not'],
    ['with a version of two lines', '{"name":"a","version":"1\\n"}', 'the version "1\\n", which is not'],
    [
      'with a dependency whose version is no text of a line',
      '{"name":"a","version":"1","dependencies":{"b":"1\\u001b"}}',
      'the dependency b with the version "1\\u001b", which is not allowed',
    ],
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
    const pieces = 40;
    let read = 0;
    async function* unpacked(): AsyncGenerator<Buffer> {
      yield tarEntry('package/other.bin', Buffer.alloc(0), 8 ** 11 - 1);
      for (; read < pieces; read++) yield Buffer.alloc(64 * 1024);
    }
    const limits = { maxEntries: 10, maxBytes: 1_000_000 };
    const readAll = async (): Promise<void> => {
      for await (const { name } of readTar(unpacked(), limits, () => false)) expect(name).toBe('none');
    };
    await expect(readAll()).rejects.toThrow('unpacked it has more than 1000000 bytes');
    expect(read).toBeLessThan(pieces / 2);
  });

  it('one with a file whose name changes the terminal, or the direction of its line', async () => {
    for (const name of ['a\u001b[2J.json', 'a\u202enosj.json']) {
      const entry = tarEntry(`package/${name}`, Buffer.from('{}'));
      await refused(await writePacked(folder, 'name.tgz', entry), 'a name with control characters');
    }
  });

  it('one with a file of less than no bytes', async () => {
    const size = Buffer.from('11 size=-1\n');
    const archive = Buffer.concat([
      tarEntry('size', size, size.length, 'x'),
      tarEntry('package/a.json', Buffer.from('{}')),
    ]);
    await refused(await writePacked(folder, 'negative.tgz', archive), 'it is not a tar archive');
  });

  it('one with a header for the next entry that is a file itself', async () => {
    const header = tarEntry('././@LongLink', Buffer.alloc(2_000_000, 'a'), 2_000_000, 'L');
    await refused(await writePacked(folder, 'header.tgz', header), 'a header of more than 1 MB');
  });
});
