/** `andiron import-package NAME@VERSION` against a registry. */
import { PackageSource } from '../../src/packages/package-source';
import { runHere } from '../support/command-here';
import { openCore, type OpenedCore } from '../support/core';
import type { Ended } from '../support/run-command';
import { toEnvironment } from '../support/server';
import { makeFolder, packResources } from './make-package';
import { openRegistry, type Registry } from './open-registry';

/** The address of the file of another version, or of another package, in place of the right one. */
const SWAPPED = {};
const FOREIGN = {};
const UNHASHED = { integrity: undefined, shasum: undefined };

let opened: OpenedCore;
let folder: string;
let remove: () => Promise<void>;
let registry: Registry;

beforeAll(async () => {
  opened = await openCore();
  ({ folder, remove } = await makeFolder());
  registry = await openRegistry();
  await publish('base.example', '1.0.0', {});
  await publish('base.example', '1.0.9', {});
  await publish('base.example', '1.0.10', {});
  await publish('ward.example', '2.0.0', { 'base.example': '1.0.x', 'lost.example': '1.0.0' });
});
afterAll(async () => {
  await opened.close();
  await remove();
  await registry.close();
});
afterEach(() => {
  registry.instead = {};
  registry.isDamaged = false;
});

async function publish(name: string, version: string, dependencies: object): Promise<void> {
  const valueSet = {
    resourceType: 'ValueSet',
    id: `${name}-rooms`,
    url: `http://${name}/rooms`,
    version,
    status: 'active',
  };
  const manifest = { name, version, fhirVersions: ['4.0.1'], dependencies };
  await registry.publish(
    name,
    version,
    await packResources(folder, manifest, { 'ValueSet-rooms.json': valueSet }),
  );
}

function run(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1:*' },
): Promise<Ended> {
  const environment = {
    ...toEnvironment(opened.database),
    PACKAGE_REGISTRY: registry.address,
    ...settings,
  };
  return runHere(['import-package', ...args, '--tenant', 'system'], { environment, folder });
}

it('a package is fetched by its name and version, and its dependencies are named', async () => {
  const { code, output, errors } = await run(['ward.example@2.0.0']);
  expect([code, errors]).toEqual([0, '']);
  expect(output).toContain('ward.example 2.0.0 in tenant system, r4: 1 stored, 0 unchanged, 0 refused\n');
  expect(output).toContain(
    'Required packages that were not imported: base.example 1.0.x, lost.example 1.0.0 (--dependencies imports them)\n',
  );
});

it('with --dependencies the newest version that fits of each comes first, and one that is lost is named', async () => {
  const { code, output } = await run(['ward.example@latest', '--dependencies']);
  expect(code).toBe(0);
  expect(output).toMatch(
    /^base\.example 1\.0\.10 in tenant system[^]*\nward\.example 2\.0\.0 in tenant system/m,
  );
  expect(output).toContain('not imported: lost.example 1.0.0 (');
  expect(output).toContain('Requested as latest, which is 2.0.0 now\n');
});

it.each([
  ['nothing.example@1.0.0', 'nothing.example 1.0.0 cannot be fetched: '],
  ['base.example@7.0.0', 'does not have base.example 7.0.0'],
])('%s, which the registry does not have, is refused in one line', async (name, words) => {
  const { code, output, errors } = await run([name]);
  expect([code, output]).toEqual([1, '']);
  expect(errors).toMatch(/^andiron: [^\n]*\n$/);
  expect(errors).toContain(words);
});

it('a file with another hash than the registry names is refused', async () => {
  registry.isDamaged = true;
  for (const dist of [{}, { integrity: undefined }, { shasum: undefined }]) {
    registry.instead = { dist };
    const { code, errors } = await run(['base.example@1.0.0']);
    expect(code).toBe(1);
    expect(errors).toContain('its hash differs');
  }
});

const OTHER_HASH = 'sha512-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';
it.each<[string, object, number]>([
  ['a SHA-512 of another file, with the right shasum', { integrity: OTHER_HASH }, 1],
  ['the right SHA-512, with another shasum', { shasum: '0'.repeat(40) }, 0],
  ['a weaker hash only, which is not read, with the right shasum', { integrity: 'sha256-x' }, 0],
  ['a hash that nobody can read', { integrity: 'sha256-x', shasum: undefined }, 1],
])('integrity counts before shasum: %s', async (_, dist, expected) => {
  registry.instead = { dist };
  const { code, errors } = await run(['base.example@1.0.0']);
  expect(code).toBe(expected);
  if (expected === 1) expect(errors).toContain('its hash differs');
});

it.each<[string, string, Registry['instead'], string]>([
  ['a list of another package', '1.0.0', { list: { name: 'evil.example' } }, 'name "evil.example"'],
  ['another package under the version', '1.0.0', { version: { name: 'evil.example' } }, '"evil.example"'],
  ['another version under the version', '1.0.0', { version: { version: '6.6.6' } }, 'version "6.6.6"'],
  ['the file of another version', '1.0.0', { dist: SWAPPED }, 'base.example 1.0.9 for base.example 1.0.0'],
  ['the file of another package', '1.0.0', { dist: FOREIGN }, 'ward.example 2.0.0 for base.example 1.0.0'],
  ['the file of another version', 'latest', { dist: SWAPPED }, 'base.example 1.0.9 for base.example 1.0.10'],
  ['a tag for a number', '7.0.0', { list: { 'dist-tags': { '7.0.0': '1.0.0' } } }, 'does not have'],
])('a registry that sends %s for %s is not believed', async (_, version, instead, words) => {
  const places = { swapped: 'base.example/1.0.9', foreign: 'ward.example/2.0.0' } as const;
  const { dist } = instead;
  const place = dist === SWAPPED ? places.swapped : dist === FOREIGN ? places.foreign : undefined;
  registry.instead =
    place === undefined ? instead : { dist: { ...UNHASHED, tarball: `${registry.address}/${place}` } };
  const { code, output, errors } = await run([`base.example@${version}`]);
  expect([code, output]).toEqual([1, '']);
  expect(errors).toMatch(/^andiron: [^\n]*\n$/);
  expect(errors).toContain(words);
});

it.each(['../admin', '/etc/passwd', '.', '@../admin', 'http://evil.example/x', 'a?b', 'a%2f..', '\u001b[2J'])(
  'a package that depends on %j is refused as a whole, and the registry is not asked for that',
  async (needed) => {
    await publish('odd.example', '1.0.0', { 'base.example': '1.0.0', [needed]: '1.0.0' });
    registry.requested.length = 0;
    const { code, output, errors } = await run(['odd.example@1.0.0', '--dependencies']);
    expect([code, output]).toEqual([1, '']);
    expect(errors).toContain(`the dependency ${JSON.stringify(needed)}, which is not the name of a package`);
    expect(registry.requested).toEqual(['/odd.example', '/odd.example/1.0.0']);
  },
);

it('a registry is asked for 100 packages at most, those that it does not have among them', async () => {
  const lost = Object.fromEntries(
    Array.from({ length: 120 }, (_, number) => [`lost-${number}.example`, '1.0.0']),
  );
  await publish('wide.example', '1.0.0', lost);
  await publish('wider.example', '1.0.0', { 'wide.example': '1.0.0', 'last.example': '1.0.0' });
  registry.requested.length = 0;
  const { code, output } = await run(['wider.example@1.0.0', '--dependencies']);
  expect(code).toBe(0);
  const lists = registry.requested.filter((path) => path.split('/').length === 2);
  expect([lists.length, lists.includes('/lost-97.example'), lists.includes('/last.example')]).toEqual([
    100,
    true,
    false,
  ]);
  // Packages that were not requested are named like all missing ones.
  for (const missing of ['lost-119.example 1.0.0', 'last.example 1.0.0']) expect(output).toContain(missing);
});

it('an alias of a package, which a registry does not know, is named and left out', async () => {
  await publish('alias.example', '1.0.0', { 'second@npm:base.example': '1.0.0' });
  registry.requested.length = 0;
  const { code, output } = await run(['alias.example@1.0.0', '--dependencies']);
  expect(code).toBe(0);
  expect(output).toContain('not imported: second@npm:base.example 1.0.0 (');
  expect(registry.requested).toEqual(['/alias.example', '/alias.example/1.0.0']);
});

it('latest is resolved once, although another version is published meanwhile, and recorded as what it was', async () => {
  await publish('once.example', '1.0.0', {});
  await publish('moving.example', '1.0.0', {});
  const packages = new PackageSource({
    ...{ registry: registry.address, allowedHosts: ['127.0.0.1:*'], maxFileBytes: 1_000_000 },
  });
  const file = await packages.fetch({ name: 'once.example', version: 'latest' });
  await publish('once.example', '2.0.0', {});
  const again = await packages.fetch({ name: 'once.example', version: 'latest' });
  expect([file, again].map(({ manifest, requested }) => [manifest.version, requested])).toEqual([
    ['1.0.0', 'latest'],
    ['1.0.0', 'latest'],
  ]);
  // A source that continues the work of another one.
  const { resolved } = packages;
  expect([...resolved]).toEqual([['once.example@latest', '1.0.0']]);
  const next = new PackageSource({
    ...{ registry: registry.address, allowedHosts: ['127.0.0.1:*'], maxFileBytes: 1_000_000, resolved },
  });
  const { manifest } = await next.fetch({ name: 'once.example', version: 'latest' });
  expect(manifest.version).toBe('1.0.0');

  const { code, output } = await run(['moving.example@current', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(output).packages).toMatchObject([
    { name: 'moving.example', version: '1.0.0', requested: 'current' },
  ]);
  const context = await opened.context('system', 'r4');
  const parameters = [['identifier', 'https://packages.fhir.org|moving.example#1.0.0']] as const;
  const { matches } = await opened.core.interactions.search(context, { type: 'Basic', parameters });
  expect(matches.map(({ text }) => JSON.parse(text).code.text)).toEqual([
    'The package moving.example 1.0.0 was imported, requested as current',
  ]);
});

it.each([
  ['no JSON', '<html>Sign in to the network of the ward</html>'],
  ['no object', '[]'],
  [
    'more members than are read',
    JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`member-${n}`, 0]))),
  ],
])(
  'a needed package for which a registry sends %s is left out, and the others are imported',
  async (_, text) => {
    registry.texts.set('odd-list.example', text);
    await publish('needing.example', '1.0.0', { 'odd-list.example': '1.0.0' });
    const { code, output } = await run(['needing.example@1.0.0', '--dependencies']);
    expect(code).toBe(0);
    expect(output).toContain('needing.example 1.0.0 in tenant system, r4:');
    expect(output).toContain('not imported: odd-list.example 1.0.0 (');
    const alone = await run(['odd-list.example@1.0.0']);
    expect([alone.code, alone.errors]).toEqual([
      1,
      expect.stringContaining('sends no list of versions for odd-list.example'),
    ]);
  },
);

it('a registry at an address that is not public is called only if it is allowed with its port', async () => {
  const { code, errors } = await run(['base.example@1.0.0'], { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' });
  expect(code).toBe(1);
  const listed = registry.address.replace('http://', '');
  expect(errors).toContain(`OUTBOUND_ALLOWED_HOSTS does not list ${listed}`);
});
