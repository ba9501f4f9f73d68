/**
 * The examples of published guides have no errors beyond those that are named (known-errors.json), with the guide, the
 * extensions and the terminology of HL7 in the tenant.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { importPackage } from '../../src/packages/import-package';
import { readPackage, type PackageFile } from '../../src/packages/package-file';
import { openCore, type OpenedCore } from '../support/core';
import { silentLog } from '../support/log';

const folder = process.env['PACKAGES'];
if (!folder) throw new Error('PACKAGES must name a folder of package files (*.tgz); see CONTRIBUTING.md');
/** Guides refer to these without naming them among their examples. */
const SHARED = /^hl7\.(?:fhir\.uv\.extensions|terminology)\./;
const files = readdirSync(folder).filter((name) => name.endsWith('.tgz'));

interface Issue {
  readonly severity: string;
  readonly diagnostics: string;
  readonly expression?: readonly string[];
}

const known = JSON.parse(readFileSync(path.join(__dirname, 'known-errors.json'), 'utf8')) as Readonly<
  Record<string, Readonly<Record<string, string>>>
>;

let opened: OpenedCore;
beforeAll(async () => {
  opened = await openCore();
});
afterAll(() => opened.close());

const load = (tenant: string, file: PackageFile) =>
  importPackage(opened.core, file, {
    tenant,
    withExamples: false,
    extensionBase: 'https://andiron.example/fhir/StructureDefinition',
    maxDepth: 64,
    log: silentLog,
  });
const read = (name: string): Promise<PackageFile> => readPackage(path.join(folder, name), 16 * 1024 * 1024);

/** Returns the examples with errors, each with its errors. */
async function findErrors(
  tenant: string,
  { entries }: PackageFile,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  let count = 0;
  for (const { name, text, isExample } of entries) {
    if (!isExample || text === undefined) continue;
    const { resourceType } = JSON.parse(text) as { resourceType?: string };
    if (resourceType === undefined) continue;
    count++;
    const context = await opened.context(tenant, 'r4');
    const input = {
      text: `{"resourceType":"Parameters","parameter":[{"name":"resource","resource":${text}}]}`,
    };
    const result = await opened.core.interactions.invoke(context, {
      level: 'type',
      type: resourceType,
      code: 'validate',
      input,
      safe: false,
    });
    if (!('text' in result)) throw new Error('$validate answers a text');
    const { issue } = JSON.parse(result.text) as { issue: readonly Issue[] };
    const errors = issue.filter(({ severity }) => severity === 'error');
    if (errors.length > 0)
      found.set(
        name,
        errors.map(({ expression = [], diagnostics }) => `${expression.join()}: ${diagnostics}`),
      );
  }
  process.stdout.write(`${count} examples, ${found.size} with errors\n`);
  return found;
}

it.each(files)('the examples of %s have no errors', async (name) => {
  const tenant = name.replace(/[^a-z0-9]+/g, '-').slice(0, 60);
  await opened.core.tenants.create(tenant, {});
  for (const shared of files.filter((each) => SHARED.test(each))) await load(tenant, await read(shared));
  const file = await read(name);
  await load(tenant, file);
  const found = await findErrors(tenant, file);
  if (process.env['SHOW_ERRORS'] !== undefined)
    for (const [example, errors] of found) process.stdout.write(`${example}\n  ${errors.join('\n  ')}\n`);
  expect([...found.keys()].sort()).toEqual(Object.keys(known[file.manifest.name] ?? {}).sort());
});
