/** Each package file of the folder PACKAGES is imported without a refusal, and a second import writes nothing. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { importPackage } from '../../src/packages/import-package';
import { readPackage } from '../../src/packages/package-file';
import { openCore, type OpenedCore } from '../support/core';
import { silentLog } from '../support/log';

const folder = process.env['PACKAGES'];
if (!folder) throw new Error('PACKAGES must name a folder of package files (*.tgz); see CONTRIBUTING.md');
const files = readdirSync(folder).filter((name) => name.endsWith('.tgz'));

let opened: OpenedCore;
beforeAll(async () => {
  opened = await openCore();
});
afterAll(() => opened.close());

it.each(files)('%s', async (name) => {
  const file = await readPackage(path.join(folder, name), 16 * 1024 * 1024);
  const load = () =>
    importPackage(opened.core, file, {
      tenant: 'system',
      withExamples: false,
      extensionBase: 'https://andiron.example/fhir/StructureDefinition',
      maxDepth: 64,
      log: silentLog,
    });
  const { refused, withoutSnapshot } = await load();
  expect(refused).toEqual([]);
  process.stdout.write(`${name}: ${withoutSnapshot.length} definitions without a snapshot\n`);
  const { counts } = await load();
  expect([...counts.values()].reduce((sum, { stored }) => sum + stored, 0)).toBe(0);
});
