/** Long resources are prepared in a thread of their own, and nobody can tell but by the time that others wait. */
import { setTimeout as delay } from 'node:timers/promises';
import { parseJson, toBundleInput, toResourceInput, type JsonObject } from '../../../src/core';
import { createPreparer, type Preparer } from '../../../src/core/preparation/preparer';
import { SpaceTools } from '../../../src/core/preparation/space-tools';
import { createThreadedPreparer } from '../../../src/core/preparation/threaded-preparer';
import { WorkerPool } from '../../../src/core/preparation/worker-pool';
import { createHasher } from '../../../src/core/search/hash';
import { post, transaction, uuid } from '../../support/bundles';
import { openCore, type OpenedCore } from '../../support/core';
import { silentLog } from '../../support/log';

let opened: OpenedCore;
beforeAll(async () => {
  opened = await openCore();
});
afterAll(() => opened.close());

const LIMITS = { maxDepth: 64 };

/** A Patient of about `kilobytes`. */
function longPatient(kilobytes: number, members: object = {}): string {
  const lines = Array.from({ length: kilobytes }, (_line, index) => `${index} ${'street '.repeat(145)}`);
  return JSON.stringify({ resourceType: 'Patient', ...members, address: [{ line: lines }] });
}

function contentOf(text: string): JsonObject {
  const { meta, id, ...content } = parseJson(text).value as JsonObject;
  void meta;
  void id;
  return content;
}

it('a resource of 1 MB is stored, patched and found like a short one', async () => {
  const context = await opened.context('system', 'r4');
  const text = longPatient(1000, { name: [{ family: 'Languedoc' }] });
  const created = await opened.core.create(context, 'Patient', toResourceInput(text, LIMITS));
  expect(contentOf(created.version.text)).toEqual(JSON.parse(text));
  const { id } = created.version;
  const patched = await opened.core.patch(
    context,
    'Patient',
    id,
    toResourceInput('[{"op":"replace","path":"/name/0/family","value":"Provence"}]', LIMITS),
  );
  expect(patched.version.versionId).toBe(2);
  const search = (family: string): Promise<number | undefined> =>
    opened.core
      .search(context, { type: 'Patient', parameters: [['family', family]] })
      .then(({ total }) => total);
  expect(await search('Provence')).toBe(1);
  expect(await search('Languedoc')).toBe(0);
  await opened.core.delete(context, 'Patient', id);
  expect(await search('Provence')).toBe(0);
  expect(await opened.differences('system')).toEqual([]);
});

it('a long resource that is wrong is refused as a short one is', async () => {
  const context = await opened.context('system', 'r4b');
  const refusalOf = async (text: string): Promise<unknown> =>
    opened.core.create(context, 'Patient', toResourceInput(text, LIMITS)).catch((error: unknown) => error);
  for (const members of [{ birthDate: '2023-02-29' }, { unknown: 1 }, { id: 'x', gender: 'none' }]) {
    const short = await refusalOf(longPatient(1, members));
    const long = await refusalOf(longPatient(600, members));
    expect(short).toMatchObject({ name: 'FhirError' });
    expect(long).toEqual(short);
  }
  expect(await refusalOf(`${longPatient(600).slice(0, -1)},"gender":"male","gender":"male"}`)).toMatchObject({
    key: 'invalidResource',
    status: 400,
  });
});

it('an update of a long resource by a short one, and back, leaves the index as it should be', async () => {
  const context = await opened.context('system', 'r4');
  const short = { resourceType: 'Patient', id: 'long-and-short', name: [{ family: 'Kurz' }] };
  for (const text of [
    longPatient(500, { id: 'long-and-short', name: [{ family: 'Lang' }] }),
    JSON.stringify(short),
    longPatient(400, { id: 'long-and-short' }),
  ]) {
    await opened.core.update(context, 'Patient', 'long-and-short', toResourceInput(text, LIMITS));
  }
  expect(await opened.differences('system')).toEqual([]);
});

/** A preparer that has a thread of its own beside it, and what that was asked to do. */
function openPreparers(): { here: Preparer; there: Preparer; pool: WorkerPool; kinds: string[] } {
  const [hashKey, publicUrls, extensionBase] = [
    Buffer.alloc(16, 7),
    ['http://a.example'],
    'http://b.example',
  ];
  const limits = {
    ...{ ...LIMITS, maxBodyBytes: 1e7, maxPatchOperations: 9, maxBundleEntries: 100, maxIndexRows: 1e4 },
    ...{
      maxExpansionCodes: 9,
      searchGather: 9,
      maxWriteQueue: 9,
      versionMemoryBytes: 9,
      searchMemoryBytes: 9,
    },
  };
  const nobody = (): Promise<never> => Promise.reject(new Error('nothing is asked'));
  const informant = { judge: nobody, version: nobody, find: nobody, listCodes: nobody };
  const tools = new SpaceTools({
    hasher: createHasher(hashKey),
    publicUrls,
    maxIndexRows: limits.maxIndexRows,
  });
  const here = createPreparer(tools.preparationTools(extensionBase, informant), limits);
  const pool = new WorkerPool({ hashKey, publicUrls, extensionBase, limits }, nobody, silentLog);
  const kinds: string[] = [];
  const there = createThreadedPreparer(here, {
    run: (task, isShort) => {
      kinds.push(task.kind);
      return pool.run(task, isShort);
    },
    tell: (message) => pool.tell(message),
    hasRoom: () => pool.hasRoom(),
  });
  return { here, there, pool, kinds };
}

it('a transaction of 40 kB is the same whichever thread prepares it', async () => {
  const { space } = await opened.context('system', 'r4');
  const { here, there, pool, kinds } = openPreparers();
  const prepare = async (preparer: Preparer, status: string): Promise<unknown> => {
    const entries = Array.from({ length: 100 }, (_, index) =>
      post({ ...OBSERVATION, status, derivedFrom: [{ reference: uuid(index ^ 1) }] }, uuid(index)),
    );
    const input = toBundleInput(JSON.stringify(transaction(...entries)), LIMITS);
    const bundle = await preparer.bundle({ space, input, types: ['transaction'] });
    const id = (index: number): string => `o${index}`;
    const prepared = bundle.prepare({
      space,
      versions: entries.map((_, index) => ({
        ...{ index, member: index, type: 'Observation', id: id(index), storedId: id(index), typeNumber: 1 },
        ...{ key: { high: 1, low: index }, idMode: 'assigned', change: 'create', expected: 0 },
        isUnderCondition: false,
      })),
      targets: entries.map((_, index) => ({
        fullUrl: uuid(index),
        reference: `Observation/${id(index)}`,
        isCanonical: false,
      })),
      conditional: [],
      author: null,
    });
    return prepared.catch((error: unknown) => error).finally(() => bundle.close());
  };
  try {
    while (!pool.hasRoom()) await delay(20);
    const prepared = await prepare(there, 'final');
    expect(kinds).toEqual(['bundle', 'versions']);
    expect(prepared).toEqual(await prepare(here, 'final'));
    const refusal = await prepare(there, 'finished');
    expect(refusal).toMatchObject({ name: 'FhirError' });
    expect(refusal).toEqual(await prepare(here, 'finished'));
    // While it has something long to do, nobody waits for it.
    const long = there.outline({ text: `[${'1,'.repeat(200_000)}1]`, limits: { ...LIMITS, levels: 1 } });
    expect(await prepare(there, 'final')).toEqual(prepared);
    expect(kinds).toHaveLength(5);
    await long;
  } finally {
    await pool.close();
  }
});

const OBSERVATION = {
  resourceType: 'Observation',
  code: {
    coding: [{ system: 'http://loinc.org', code: '8867-4', display: 'Heart rate' }],
    text: 'Heart rate',
  },
  note: [
    { text: 'As long as most observations are that are written by machines, which say much of themselves' },
  ],
};
