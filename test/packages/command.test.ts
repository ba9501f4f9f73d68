/** `andiron import-package` as a user runs it. */
import { runHere } from '../support/command-here';
import { openCore, type OpenedCore } from '../support/core';
import type { Ended } from '../support/run-command';
import { toEnvironment } from '../support/server';
import { makeFolder, packResources } from './make-package';

let opened: OpenedCore;
let folder: string;
let remove: () => Promise<void>;
beforeAll(async () => {
  opened = await openCore();
  ({ folder, remove } = await makeFolder());
});
afterAll(async () => {
  await opened.close();
  await remove();
});

const run = (...args: readonly string[]): Promise<Ended> =>
  runHere(['import-package', ...args], { environment: toEnvironment(opened.database), folder });

const manifest = {
  name: 'clinic.example',
  version: '1.0.0',
  fhirVersions: ['4.0.1'],
  dependencies: { 'other.example': '2.0.0' },
};
const valueSet = {
  resourceType: 'ValueSet',
  id: 'rooms',
  url: 'http://clinic.example/rooms',
  status: 'active',
};
const patient = { resourceType: 'Patient', id: 'ana' };

describe('andiron import-package', () => {
  it('loads a package and prints a summary', async () => {
    const file = await packResources(folder, manifest, {
      'ValueSet-rooms.json': valueSet,
      'example/Patient-ana.json': patient,
    });
    expect(await run(file, '--tenant', 'system')).toEqual({
      code: 0,
      errors: '',
      output: [
        'clinic.example 1.0.0 in tenant system, r4: 1 stored, 0 unchanged, 0 refused',
        '  ValueSet      1 stored      0 unchanged',
        'Examples not loaded: 1 (--examples loads them)',
        'Required packages that were not imported: other.example 2.0.0 (--dependencies imports them)',
        '',
      ].join('\n'),
    });
    const { output } = await run(file, '--tenant', 'system', '--release', 'r4', '--examples');
    expect(output).toContain('r4: 1 stored, 1 unchanged, 0 refused\n');
  });

  it('names resources with another id or a warning, and ends with code 0', async () => {
    const parameter = {
      ...{ resourceType: 'SearchParameter', id: 'own-id', url: 'http://clinic.example/own-id', name: 'Id' },
      ...{ status: 'active', description: 'x', code: '_id', base: ['Patient'], type: 'token' },
      expression: 'Patient.id',
    };
    const file = await packResources(folder, manifest, {
      'ValueSet-rooms.json': { ...valueSet, url: 'http://ward.example/rooms' },
      'SearchParameter-own-id.json': parameter,
    });
    const { code, output, errors } = await run(file, '--tenant', 'system');
    expect([code, errors]).toEqual([0, '']);
    expect(output).toContain('r4: 2 stored, 0 unchanged, 0 refused\n');
    expect(output).toMatch(
      /^Stored under another id than in the package:\n {2}ValueSet-rooms.json: as ValueSet\/rooms-[0-9a-f]{12}, because /m,
    );
    expect(output).toMatch(
      /^Stored with warnings:\n {2}SearchParameter-own-id.json: SearchParameter.code: /m,
    );
  });

  it('names refused resources and ends with code 1', async () => {
    const file = await packResources(folder, manifest, {
      'notes.json': { note: 'x' },
    });
    const { code, output, errors } = await run(file, '--tenant', 'system');
    expect(code).toBe(1);
    expect(output).toContain('Refused:\n  notes.json: ');
    expect(errors).toBe('andiron: 1 resources were refused\n');
  });

  it.each([
    [[], 2, 'FILE.tgz|NAME@VERSION is missing: andiron import-package FILE.tgz|NAME@VERSION --tenant NAME'],
    [['guide.tgz'], 2, '--tenant is missing: name of the tenant'],
    [['guide.tgz', '--tenant', 'system', '--release', 'r5'], 2, '--release must be r4 or r4b'],
    [['nothing.tgz', '--tenant', 'system'], 1, 'The file nothing.tgz does not exist'],
  ])('answers %j with one line and code %d', async (args, expected, words) => {
    const { code, output, errors } = await run(...args);
    expect([code, output]).toEqual([expected, '']);
    expect(errors).toMatch(/^andiron: [^\n]*\n$/);
    expect(errors).toContain(words);
  });
});
