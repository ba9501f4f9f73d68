/** `andiron import-package NAME@VERSION` against a registry. */
import { runHere } from '../support/command-here';
import { openCore, type OpenedCore } from '../support/core';
import type { Ended } from '../support/run-command';
import { toEnvironment } from '../support/server';
import { makeFolder, packResources } from './make-package';
import { openRegistry, type Registry } from './open-registry';

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
  settings: Readonly<Record<string, string>> = { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' },
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
  const { code, errors } = await run(['base.example@1.0.0']);
  registry.isDamaged = false;
  expect(code).toBe(1);
  expect(errors).toContain('its hash differs');
});

it('a registry at an address that is not public is called only if it is allowed', async () => {
  const { code, errors } = await run(['base.example@1.0.0'], {});
  expect(code).toBe(1);
  expect(errors).toContain('OUTBOUND_ALLOWED_HOSTS does not list 127.0.0.1');
});
