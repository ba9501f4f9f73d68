/** Implementation guides in a tenant: the effects of `andiron import-package`. */
import { Client } from 'pg';
import { FhirError, fhirError, type Release, type StoredVersion } from '../../src/core';
import { importPackage, type ImportSummary } from '../../src/packages/import-package';
import { readPackage } from '../../src/packages/package-file';
import { openCore, type OpenedCore } from '../support/core';
import { eventually } from '../support/eventually';
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

const basic = (id: string): object => ({ resourceType: 'Basic', id, code: { text: 'a' } });

const MANIFEST = { name: 'clinic.example', version: '1.0.0', fhirVersions: ['4.0.1'] };

async function load(
  tenant: string,
  resources: Readonly<Record<string, object>>,
  how: How = {},
  core = opened.core,
): Promise<ImportSummary> {
  const file = await packResources(folder, how.manifest ?? MANIFEST, resources);
  return importPackage(core, await readPackage(file, 1_000_000), {
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
  return opened.core.interactions.find(await opened.context(tenant, release), type, id);
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
  it('is stored under its own ids, and by default without its examples', async () => {
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

  it('loads its examples on request', async () => {
    const tenant = await makeTenant();
    const summary = await load(tenant, { 'example/Patient-ana.json': patient }, { withExamples: true });
    expect(summary.examplesLeftOut).toBe(0);
    expect((await find(tenant, 'Patient', 'ana'))?.versionId).toBe(1);
  });

  it('that is loaded again writes only new resources', async () => {
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
    expect(next.replaced).toEqual([{ file: 'Basic-x.json', reason: 'Basic/x had other content' }]);
    const corrected = { 'ValueSet-rooms.json': { ...valueSet, title: 'Rooms' } };
    expect([...(await load(tenant, corrected)).counts]).toEqual([['ValueSet', { stored: 1, unchanged: 0 }]]);
    expect((await find(tenant, 'ValueSet', 'rooms'))?.versionId).toBe(2);
  });

  const findAll = async (tenant: string, type: string, url: string): Promise<readonly string[]> => {
    const parameters = [['url', url]] as const;
    const { matches } = await opened.core.interactions.search(await opened.context(tenant, 'r4'), {
      type,
      parameters,
    });
    return matches
      .map(({ text }) => text)
      .filter((text) => text.includes('ClientApplication/import-package'));
  };

  it('never replaces a resource with another url or version: a used id becomes another one, the same each time', async () => {
    const tenant = await makeTenant();
    const other = { ...valueSet, url: 'http://other.example/rooms' };
    const guides = [
      { ...RESOURCES },
      { 'ValueSet-rooms.json': other },
      { 'ValueSet-rooms.json': { ...valueSet, version: '2.0.0' } },
    ];
    for (const resources of guides) expect((await load(tenant, resources)).refused).toEqual([]);
    for (const [resources, renamed] of [
      [guides[0] ?? {}, []],
      [
        guides[1] ?? {},
        [
          {
            file: 'ValueSet-rooms.json',
            reason: expect.stringMatching(/^as ValueSet\/rooms-[0-9a-f]{12}, because ValueSet\/rooms is /),
          },
        ],
      ],
    ] as const) {
      const again = await load(tenant, resources);
      expect([...again.counts.values()].every(({ stored }) => stored === 0)).toBe(true);
      expect(again.renamed).toEqual(renamed);
    }
    expect(await findAll(tenant, 'ValueSet', other.url)).toHaveLength(1);
    const versions = (await findAll(tenant, 'ValueSet', valueSet.url)).map(
      (text) => JSON.parse(text).version as string,
    );
    expect(versions.sort()).toEqual(['1.0.0', '2.0.0']);
    expect((await find(tenant, 'ValueSet', 'rooms'))?.versionId).toBe(1);
  });

  it('gives ids to resources without one, and leaves those of the specification alone', async () => {
    const tenant = await makeTenant();
    const resources = {
      'CodeSystem-nameless.json': canonical('CodeSystem', 'x', {
        id: undefined,
        url: `${GUIDE}/name_of_it`,
        content: 'complete',
      }),
      'CodeSystem-condition-category.json': canonical('CodeSystem', 'condition-category', {
        content: 'complete',
      }),
      'Basic-of-file.json': { resourceType: 'Basic', code: { text: 'x' } },
      'ImplementationGuide-clinic.json': {
        ...guide,
        definition: { resource: [{ reference: { reference: 'CodeSystem/condition-category' } }] },
      },
    };
    const summary = await load(tenant, resources);
    expect([summary.refused, summary.renamed.length]).toEqual([[], 3]);
    expect(await find(tenant, 'CodeSystem', 'name-of-it')).toBeDefined();
    expect(await find(tenant, 'Basic', 'Basic-of-file')).toBeDefined();
    const official = JSON.parse((await find(tenant, 'CodeSystem', 'condition-category'))?.text ?? '');
    expect(official.url).toBe('http://terminology.hl7.org/CodeSystem/condition-category');
    const stored = JSON.parse((await find(tenant, 'ImplementationGuide', 'clinic'))?.text ?? '');
    const { reference } = stored.definition.resource[0].reference;
    expect(reference).toMatch(/^CodeSystem\/condition-category-[0-9a-f]{12}$/);
    const [, id = ''] = String(reference).split('/');
    expect(JSON.parse((await find(tenant, 'CodeSystem', id))?.text ?? '')).toMatchObject({
      id,
      content: 'complete',
    });
    const again = await load(tenant, resources);
    expect([...again.counts.values()].map(({ stored: count }) => count)).toEqual([0, 0, 0]);
  });

  it('has search parameters that cannot be indexed stored with a warning, and is complete', async () => {
    const tenant = await makeTenant();
    const parameter = (id: string, more: object) =>
      canonical('SearchParameter', id, {
        description: 'x',
        code: id,
        base: ['Patient'],
        type: 'token',
        expression: 'Patient.gender',
        ...more,
      });
    const { refused, warned, counts } = await load(tenant, {
      'a-pair.json': parameter('pair', {
        type: 'composite',
        expression: 'Patient',
        component: ['first', 'second'].map((id) => ({
          definition: `${GUIDE}/SearchParameter/${id}`,
          expression: 'gender',
        })),
      }),
      'id.json': parameter('id', { code: '_id', expression: 'Patient.id' }),
      'json.json': parameter('json', {
        type: 'date',
        expression: "Patient.extension('http://a.example').valueDateTime",
      }),
      'first.json': parameter('first', {}),
      'second.json': parameter('second', {}),
      'third.json': parameter('third', { code: 'birthdate' }),
    });
    expect([refused, counts.get('SearchParameter')]).toEqual([[], { stored: 6, unchanged: 0 }]);
    expect(warned.map(({ file }) => file).sort()).toEqual(['id.json', 'json.json', 'third.json']);
    expect(warned[0]?.reason).toMatch(/^SearchParameter\.\w+: .*it is stored, but searches do not use it$/);
  });

  it('has Subscriptions stored as off, and lists them', async () => {
    const tenant = await makeTenant();
    const subscription = (id: string, status: string) => ({
      ...{ resourceType: 'Subscription', id, status, reason: 'x', criteria: 'Patient?active=true' },
      channel: { type: 'rest-hook', endpoint: 'https://stranger.example' },
    });
    const resources = {
      'example/a.json': subscription('a', 'active'),
      'example/b.json': subscription('b', 'error'),
    };
    const summary = await load(tenant, resources, { withExamples: true });
    expect([summary.refused, summary.switchedOff.map(({ file }) => file)]).toEqual([[], ['example/a.json']]);
    expect(JSON.parse((await find(tenant, 'Subscription', 'a'))?.text ?? '').status).toBe('off');
    expect(JSON.parse((await find(tenant, 'Subscription', 'b'))?.text ?? '').status).toBe('error');
    const again = await load(tenant, resources, { withExamples: true });
    expect([...again.counts.values()]).toEqual([{ stored: 0, unchanged: 2 }]);
  });

  it('gets snapshots for its profiles that have none, in the order of their dependencies', async () => {
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
        { file: 'StructureDefinition-lost.json', reason: expect.stringContaining('does not exist') },
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

  it('lists the required packages that are missing', async () => {
    const tenant = await makeTenant();
    const dependencies = { 'hl7.fhir.r4.core': '4.0.1', 'clinic.example': '1.0.x', 'other.example': '2.0.0' };
    const manifest = { ...MANIFEST, name: 'ward.example', dependencies };
    const other = { name: 'other.example', version: '2.0.0' };
    expect((await load(tenant, {}, { manifest })).missing).toEqual([
      { name: 'clinic.example', version: '1.0.x', present: [] },
      { ...other, present: [] },
    ]);
    // A package is known by its name, whatever its ImplementationGuide says.
    const { 'ValueSet-rooms.json': rooms } = RESOURCES;
    await load(tenant, { 'ValueSet-rooms.json': rooms });
    await load(tenant, {}, { manifest: { ...MANIFEST, name: 'other.example', version: '3.0.0' } });
    expect((await load(tenant, {}, { manifest })).missing).toEqual([{ ...other, present: ['3.0.0'] }]);
  });

  it('stands beside another version of itself, and both can be used', async () => {
    const tenant = await makeTenant();
    const ofVersion = (version: string, element: object): Readonly<Record<string, object>> => ({
      'StructureDefinition-visitor.json': profile('visitor', [element], { version }),
      'ValueSet-rooms.json': { ...valueSet, version },
    });
    const needs = (name: string): object => ({ id: `Patient.${name}`, path: `Patient.${name}`, min: 1 });
    const manifest = { ...MANIFEST, version: '2.0.0' };
    const first = await load(tenant, ofVersion('1.0.0', needs('gender')));
    const second = await load(tenant, ofVersion('2.0.0', needs('birthDate')), { manifest });
    expect([first.refused, second.refused, first.snapshots, second.snapshots]).toEqual([[], [], 1, 1]);
    expect(second.renamed).toHaveLength(2);
    const context = await opened.context(tenant, 'r4');
    const faultsOf = async (version: string, content: object): Promise<readonly string[]> => {
      const meta = { profile: [`${GUIDE}/StructureDefinition/visitor|${version}`] };
      const value = { resourceType: 'Patient', meta, ...content };
      try {
        await opened.core.interactions.create(context, 'Patient', { value, marked: false });
        return [];
      } catch (error) {
        return error instanceof FhirError ? error.issues.map(({ expression = '' }) => expression) : ['other'];
      }
    };
    expect(await faultsOf('1.0.0', { gender: 'female' })).toEqual([]);
    expect(await faultsOf('2.0.0', { gender: 'female' })).toEqual(['Patient.birthDate']);
    expect(await faultsOf('1.0.0', { birthDate: '1984' })).toEqual(['Patient.gender']);
    expect(await faultsOf('2.0.0', { birthDate: '1984' })).toEqual([]);
  });

  it('is stored as it was published, with a warning where it breaks rules', async () => {
    const tenant = await makeTenant();
    const wrong = canonical('ValueSet', 'wrong', { status: 'fine', publisher: 7 });
    const { refused, warned } = await load(tenant, { 'ValueSet-wrong.json': wrong });
    expect(refused).toEqual([]);
    expect(warned).toEqual([
      { file: 'ValueSet-wrong.json', reason: expect.stringContaining('ValueSet.') as string },
    ]);
    expect(JSON.parse((await find(tenant, 'ValueSet', 'wrong'))?.text ?? '')).toMatchObject(wrong);
  });
});

describe('Files that cannot be stored are listed with the reason:', () => {
  it('a file that is no resource of the release, and a second one of the same name', async () => {
    const tenant = await makeTenant();
    const { refused, counts } = await load(tenant, {
      'ValueSet-rooms.json': valueSet,
      'ValueSet-rooms-2.json': valueSet,
      'notes.json': { note: 'x' },
      'Requirements-x.json': { resourceType: 'Requirements', id: 'x' },
    });
    expect([...counts]).toEqual([['ValueSet', { stored: 1, unchanged: 0 }]]);
    expect(Object.fromEntries(refused.map(({ file, reason }) => [file, reason]))).toEqual({
      'ValueSet-rooms.json': `ValueSet-rooms-2.json of the same package is ValueSet ${valueSet.url}|1.0.0 too`,
      'notes.json': 'it is not a resource: it has no resourceType',
      'Requirements-x.json': "'Requirements' is not a resource type of this FHIR release",
    });
  });

  it('none of those with an id that is not valid: they get another one', async () => {
    const tenant = await makeTenant();
    const { refused, renamed } = await load(
      tenant,
      { 'Patient-odd.json': { ...patient, id: 'o d d' } },
      { withExamples: true },
    );
    expect(refused).toEqual([]);
    expect(renamed).toEqual([
      { file: 'Patient-odd.json', reason: 'as Patient/Patient-odd, because its id is not valid' },
    ]);
  });

  it('and resources of others under the same id stay unchanged', async () => {
    const tenant = await makeTenant();
    const context = await opened.context(tenant, 'r4');
    const write = (type: string, resource: object) => {
      const value = JSON.parse(JSON.stringify(resource));
      return opened.core.interactions.update(context, {
        type,
        id: value.id,
        input: { value, marked: false },
      });
    };
    await write('ValueSet', { ...valueSet, url: 'http://elsewhere.example/rooms' });
    await write('Patient', { ...patient, birthDate: '1984-02-29' });
    const resources = {
      'ValueSet-rooms.json': valueSet,
      'StructureDefinition-Patient.json': profile('Patient', []),
      'example/Patient-ana.json': patient,
    };
    const { refused, renamed } = await load(tenant, resources, { withExamples: true });
    expect(refused).toEqual([]);
    expect(renamed.map(({ file }) => file).sort()).toEqual(
      Object.keys(resources).sort((a, b) => (a < b ? -1 : 1)),
    );
    for (const [type, id] of [
      ['Patient', 'ana'],
      ['ValueSet', 'rooms'],
    ] as const)
      expect((await find(tenant, type, id))?.versionId).toBe(1);
    expect((await find(tenant, 'StructureDefinition', 'Patient'))?.text).toContain(`"url":"${BASE}/Patient"`);
    const again = await load(tenant, resources, { withExamples: true });
    expect([...again.counts.values()].map(({ stored }) => stored)).toEqual([0, 0, 0]);
  });

  it.each<[object, Release | undefined, string]>([
    [{ fhirVersions: ['5.0.0'] }, undefined, 'is for FHIR 5.0.0, served are r4 (4.0.1) and r4b (4.3.0)'],
    [{ fhirVersions: ['4.0.1'] }, 'r4b', 'is for FHIR 4.0.1, not for r4b (4.3.0)'],
    [{ fhirVersions: undefined }, undefined, 'does not name its FHIR version; name the release'],
    [{ name: 'hl7.fhir.r4.core' }, 'r4', 'is part of FHIR itself'],
  ])('a package %j for %s as a whole, before anything is stored', async (more, release, words) => {
    const tenant = await makeTenant();
    const how = { manifest: { ...MANIFEST, ...more }, ...(release === undefined ? {} : { release }) };
    await expect(load(tenant, RESOURCES, how)).rejects.toThrow(words);
    expect(await find(tenant, 'ValueSet', 'rooms')).toBeUndefined();
  });

  it('a package for a tenant that does not exist', async () => {
    await expect(load('nobody', RESOURCES)).rejects.toThrow("The tenant 'nobody' does not exist");
  });

  it('nothing of a package that names its release, or with --release', async () => {
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

it('names a resource that a busy server has not stored after eleven attempts, and goes on', async () => {
  const environment = { MAX_WRITE_QUEUE: '1' };
  const { core, context, close } = await openCore({ database: opened.database, environment });
  const owner = new Client(opened.database.settings);
  await owner.connect();
  const waiting: Promise<unknown>[] = [];
  try {
    const tenant = await makeTenant();
    // While the test holds this lock, nothing is written, and the queue of writes stays full.
    await owner.query('begin');
    await owner.query('lock table andiron.resource in exclusive mode');
    let isFull = false;
    await eventually(async () => {
      const request = await context(tenant, 'r4');
      const input = { value: { resourceType: 'Basic', code: { text: 'a' } }, marked: false };
      waiting.push(core.interactions.create(request, 'Basic', input).catch(() => (isFull = true)));
      return isFull;
    });
    const names = ['one', 'two', 'three'].map((id) => [`Basic-${id}.json`, basic(id)]);
    const file = await packResources(folder, MANIFEST, Object.fromEntries(names));
    let unlocked: Promise<unknown> | undefined;
    const { counts, refused } = await importPackage(core, await readPackage(file, 1_000_000), {
      ...{ tenant, withExamples: false, extensionBase: 'https://andiron.example/fhir/StructureDefinition' },
      ...{ maxDepth: 64, log: silentLog, inFlight: 1, pauses: { firstMs: 2, longestMs: 2_000 } },
      report: ({ refused: count }) => {
        if (count === 1) unlocked ??= owner.query('rollback');
      },
    });
    await unlocked;
    const reason = expect.stringContaining('not stored, because the server was busy') as string;
    expect(refused).toEqual([{ file: 'Basic-one.json', reason }]);
    expect(counts.get('Basic')).toMatchObject({ stored: 2 });
  } finally {
    await owner.end();
    await Promise.all(waiting);
    await close();
  }
});

it('a job that finds the server busy is tried again after pauses that grow, and is done in the end', async () => {
  const { core, close } = await openCore({ database: opened.database });
  try {
    const tenant = await makeTenant();
    const began: number[] = [];
    core.jobs.administration.serve('import-package', async () => {
      began.push(performance.now());
      if (began.length <= 4) throw fhirError('overloaded');
      return { attempts: began.length };
    });
    core.jobs.startWork();
    const { id } = await core.jobs.administration.submit(tenant, { kind: 'import-package', request: {} });
    await eventually(async () => (await core.jobs.administration.find(tenant, id))?.result !== undefined);
    expect(await core.jobs.administration.find(tenant, id)).toMatchObject({
      ...{ state: 'done', result: { attempts: 5 } },
    });
    for (const [index, time] of began.slice(1).entries())
      expect(time - (began[index] ?? 0)).toBeGreaterThanOrEqual(50 * 2 ** index - 1);
  } finally {
    await close();
  }
});

it('stores all resources of a package although the server is busy', async () => {
  const { core, close } = await openCore({
    database: opened.database,
    environment: { MAX_WRITE_QUEUE: '1' },
  });
  try {
    const tenant = await makeTenant();
    const names = Array.from({ length: 40 }, (_, index) => `basic-${index}`);
    const resources = names.map((id) => [`${id}.json`, { resourceType: 'Basic', id, code: { text: 'a' } }]);
    const { counts, refused } = await load(tenant, Object.fromEntries(resources), {}, core);
    expect(refused).toEqual([]);
    expect(counts.get('Basic')).toMatchObject({ stored: 40 });
  } finally {
    await close();
  }
});
