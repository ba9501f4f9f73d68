/** Implementation guides in a tenant: what `andiron import-package` does. */
import type { Release, StoredVersion } from '../../src/core';
import { importPackage, type ImportSummary } from '../../src/packages/import-package';
import { readPackage } from '../../src/packages/package-file';
import { openCore, type OpenedCore } from '../support/core';
import { silentLog } from '../support/log';
import { makeFolder, packResources } from './make-package';

const BASE = 'http://hl7.org/fhir/StructureDefinition';
const GUIDE = 'http://clinic.example/fhir';

let opened: OpenedCore;
let folder: string;
let remove: () => Promise<void>;
let tenants = 0;

beforeAll(async () => {
  opened = await openCore();
  ({ folder, remove } = await makeFolder());
});
afterAll(async () => {
  await opened.close();
  await remove();
});

async function makeTenant(): Promise<string> {
  tenants += 1;
  await opened.core.tenants.create(`guide-${tenants}`);
  return `guide-${tenants}`;
}

interface How {
  readonly manifest?: object;
  readonly release?: Release;
  readonly withExamples?: boolean;
}

const MANIFEST = { name: 'clinic.example', version: '1.0.0', fhirVersions: ['4.0.1'] };

async function load(
  tenant: string,
  resources: Readonly<Record<string, object>>,
  how: How = {},
): Promise<ImportSummary> {
  const file = await packResources(folder, how.manifest ?? MANIFEST, resources);
  return importPackage(opened.core, await readPackage(file, 1_000_000), {
    tenant,
    ...(how.release === undefined ? {} : { release: how.release }),
    withExamples: how.withExamples ?? false,
    extensionBase: 'https://andiron.example/fhir/StructureDefinition',
    maxDepth: 64,
    log: silentLog,
  });
}

async function find(
  tenant: string,
  type: string,
  id: string,
  release: Release = 'r4',
): Promise<StoredVersion | undefined> {
  return opened.core.find(await opened.context(tenant, release), type, id);
}

const canonical = (resourceType: string, id: string, more: object = {}) => ({
  resourceType,
  id,
  url: `${GUIDE}/${resourceType}/${id}`,
  version: '1.0.0',
  name: id,
  status: 'active',
  ...more,
});
const profile = (id: string, elements: readonly object[], more: object = {}) =>
  canonical('StructureDefinition', id, {
    kind: 'resource',
    abstract: false,
    type: 'Patient',
    baseDefinition: `${BASE}/Patient`,
    derivation: 'constraint',
    differential: { element: [{ id: 'Patient', path: 'Patient' }, ...elements] },
    ...more,
  });
const guide = canonical('ImplementationGuide', 'clinic', {
  packageId: 'clinic.example',
  fhirVersion: ['4.0.1'],
});
const valueSet = canonical('ValueSet', 'rooms', {
  compose: { include: [{ system: `${GUIDE}/CodeSystem/rooms` }] },
});
const patient = { resourceType: 'Patient', id: 'ana', name: [{ family: 'Muster' }] };
const RESOURCES = { 'ImplementationGuide-clinic.json': guide, 'ValueSet-rooms.json': valueSet };

describe('An implementation guide', () => {
  it('is stored under its own ids, and without being asked none of its examples', async () => {
    const tenant = await makeTenant();
    const summary = await load(tenant, { ...RESOURCES, 'example/Patient-ana.json': patient });
    expect(summary).toMatchObject({
      release: 'r4',
      snapshots: 0,
      examplesLeftOut: 1,
      missing: [],
      refused: [],
    });
    expect([...summary.counts]).toEqual([
      ['ImplementationGuide', { stored: 1, unchanged: 0 }],
      ['ValueSet', { stored: 1, unchanged: 0 }],
    ]);
    const stored = await find(tenant, 'ValueSet', 'rooms');
    expect(JSON.parse(stored?.text ?? '')).toMatchObject(valueSet);
    expect(stored?.text).toContain('"reference":"ClientApplication/import-package"');
    expect(await find(tenant, 'Patient', 'ana')).toBeUndefined();
    expect(await find('system', 'ValueSet', 'rooms')).toBeUndefined();
    expect(await find(tenant, 'ValueSet', 'rooms', 'r4b')).toBeUndefined();
  });

  it('brings its examples when they are asked for', async () => {
    const tenant = await makeTenant();
    const summary = await load(tenant, { 'example/Patient-ana.json': patient }, { withExamples: true });
    expect(summary.examplesLeftOut).toBe(0);
    expect((await find(tenant, 'Patient', 'ana'))?.versionId).toBe(1);
  });

  it('that is loaded again writes only what is new in it', async () => {
    const tenant = await makeTenant();
    const withMeta = {
      ...valueSet,
      meta: { versionId: '7', lastUpdated: '2020-01-01T00:00:00Z', tag: [{ code: 'a' }] },
    };
    const resources = {
      ...RESOURCES,
      'ValueSet-rooms.json': withMeta,
      'Basic-x.json': { resourceType: 'Basic', id: 'x', code: { text: 'a' } },
    };
    await load(tenant, resources);
    const again = await load(tenant, resources);
    expect([...again.counts.values()]).toEqual(
      Array.from({ length: 3 }, () => ({ stored: 0, unchanged: 1 })),
    );
    expect((await find(tenant, 'ValueSet', 'rooms'))?.versionId).toBe(1);

    const changed = {
      ...RESOURCES,
      'ValueSet-rooms.json': { ...valueSet, version: '1.1.0' },
      'Basic-x.json': { resourceType: 'Basic', id: 'x', code: { text: 'b' } },
    };
    const next = await load(tenant, changed);
    expect([...next.counts]).toEqual([
      ['Basic', { stored: 1, unchanged: 0 }],
      ['ImplementationGuide', { stored: 0, unchanged: 1 }],
      ['ValueSet', { stored: 1, unchanged: 0 }],
    ]);
    expect((await find(tenant, 'ValueSet', 'rooms'))?.versionId).toBe(2);
  });

  it('gets snapshots for its profiles that have none, in whatever order they rest on each other', async () => {
    const tenant = await makeTenant();
    const resources = {
      'StructureDefinition-a.json': profile('a', [{ id: 'Patient.gender', path: 'Patient.gender', min: 1 }], {
        baseDefinition: `${GUIDE}/StructureDefinition/b`,
      }),
      'StructureDefinition-b.json': profile('b', [{ id: 'Patient.name', path: 'Patient.name', min: 1 }]),
      'StructureDefinition-lost.json': profile('lost', [], {
        baseDefinition: `${GUIDE}/StructureDefinition/none`,
      }),
    };
    const summary = await load(tenant, resources);
    expect(summary).toMatchObject({
      snapshots: 2,
      refused: [],
      withoutSnapshot: [
        { file: 'StructureDefinition-lost.json', reason: expect.stringContaining('is not known here') },
      ],
    });
    const stored = JSON.parse((await find(tenant, 'StructureDefinition', 'a'))?.text ?? '');
    const minimum = (path: string) =>
      stored.snapshot.element.find(({ id }: { id: string }) => id === path).min;
    expect([minimum('Patient.gender'), minimum('Patient.name'), minimum('Patient.contact')]).toEqual([
      1, 1, 0,
    ]);
    expect(
      JSON.parse((await find(tenant, 'StructureDefinition', 'lost'))?.text ?? '').snapshot,
    ).toBeUndefined();

    const again = await load(tenant, resources);
    expect([...again.counts]).toEqual([['StructureDefinition', { stored: 0, unchanged: 3 }]]);
  });

  it('says which packages it needs that are not there', async () => {
    const tenant = await makeTenant();
    const dependencies = { 'hl7.fhir.r4.core': '4.0.1', 'clinic.example': '1.0.x', 'other.example': '2.0.0' };
    const manifest = { ...MANIFEST, name: 'ward.example', dependencies };
    expect((await load(tenant, {}, { manifest })).missing).toEqual([
      'clinic.example 1.0.x',
      'other.example 2.0.0',
    ]);
    await load(tenant, RESOURCES);
    expect((await load(tenant, {}, { manifest })).missing).toEqual(['other.example 2.0.0']);
  });
});

describe('What cannot be stored is named with its file and the reason:', () => {
  it('a file that is no resource of the release, a second one of the same name, and what does not conform', async () => {
    const tenant = await makeTenant();
    const { refused, counts } = await load(tenant, {
      'ValueSet-rooms.json': valueSet,
      'ValueSet-rooms-2.json': valueSet,
      'notes.json': { note: 'x' },
      'Requirements-x.json': { resourceType: 'Requirements', id: 'x' },
      'ValueSet-nameless.json': { ...valueSet, id: undefined },
      'ValueSet-wrong.json': canonical('ValueSet', 'wrong', { status: 'fine' }),
    });
    expect([...counts]).toEqual([['ValueSet', { stored: 1, unchanged: 0 }]]);
    expect(Object.fromEntries(refused.map(({ file, reason }) => [file, reason]))).toEqual({
      'ValueSet-rooms.json': 'ValueSet-rooms-2.json of the same package is ValueSet/rooms too',
      'notes.json': 'it is not a resource: it has no resourceType',
      'Requirements-x.json': "'Requirements' is not a resource type of this FHIR release",
      'ValueSet-nameless.json': 'the ValueSet has no id',
      'ValueSet-wrong.json': expect.stringContaining('ValueSet.status: '),
    });
  });

  it('a resource whose id another one has, of the tenant or of the specification', async () => {
    const tenant = await makeTenant();
    const context = await opened.context(tenant, 'r4');
    const write = (type: string, resource: object) => {
      const value = JSON.parse(JSON.stringify(resource));
      return opened.core.update(context, type, value.id, { value, marked: false });
    };
    await write('ValueSet', { ...valueSet, url: 'http://elsewhere.example/rooms' });
    await write('Patient', { ...patient, birthDate: '1984-02-29' });
    const resources = {
      'ValueSet-rooms.json': valueSet,
      'StructureDefinition-Patient.json': profile('Patient', []),
      'example/Patient-ana.json': patient,
    };
    const { refused, counts } = await load(tenant, resources, { withExamples: true });
    expect([...counts]).toEqual([]);
    expect(refused).toEqual(
      expect.arrayContaining([
        {
          file: 'ValueSet-rooms.json',
          reason: 'there is another ValueSet/rooms already, with the url http://elsewhere.example/rooms',
        },
        {
          file: 'StructureDefinition-Patient.json',
          reason: `there is another StructureDefinition/Patient already, with the url ${BASE}/Patient`,
        },
        {
          file: 'example/Patient-ana.json',
          reason: 'there is another Patient/ana already, which no import has written',
        },
      ]),
    );
    expect((await find(tenant, 'Patient', 'ana'))?.versionId).toBe(1);
  });

  it.each<[object, Release | undefined, string]>([
    [{ fhirVersions: ['5.0.0'] }, undefined, 'is for FHIR 5.0.0, served are r4 (4.0.1) and r4b (4.3.0)'],
    [{ fhirVersions: ['4.0.1'] }, 'r4b', 'is for FHIR 4.0.1, not for r4b (4.3.0)'],
    [
      { fhirVersions: undefined },
      undefined,
      'does not say for which FHIR version it is; say so with --release',
    ],
    [{ name: 'hl7.fhir.r4.core' }, 'r4', 'is part of FHIR itself'],
  ])('a package %j for %s as a whole, before anything is stored', async (more, release, words) => {
    const tenant = await makeTenant();
    const how = { manifest: { ...MANIFEST, ...more }, ...(release === undefined ? {} : { release }) };
    await expect(load(tenant, RESOURCES, how)).rejects.toThrow(words);
    expect(await find(tenant, 'ValueSet', 'rooms')).toBeUndefined();
  });

  it('a package for a tenant that is not there', async () => {
    await expect(load('nobody', RESOURCES)).rejects.toThrow("There is no tenant 'nobody'");
  });

  it('nothing of a package that says its release, or is told it', async () => {
    const tenant = await makeTenant();
    const r4b = { ...MANIFEST, fhirVersions: ['4.3.0'] };
    const inR4b = { 'ValueSet-rooms.json': valueSet };
    expect((await load(tenant, inR4b, { manifest: r4b })).release).toBe('r4b');
    const silent = { ...MANIFEST, fhirVersions: undefined };
    expect((await load(tenant, inR4b, { manifest: silent, release: 'r4' })).release).toBe('r4');
    expect(await find(tenant, 'ValueSet', 'rooms', 'r4b')).toBeDefined();
    expect(await find(tenant, 'ValueSet', 'rooms', 'r4')).toBeDefined();
  });
});
