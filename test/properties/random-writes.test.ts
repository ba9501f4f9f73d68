/** Eight clients write at random; in the end all reads have the results of a simple model. */
import { FhirError, parseJson, type Release } from '../../src/core';
import { openCore, type OpenedCore } from '../support/core';
import type { Example } from '../support/examples';
import { readRightExamples } from '../support/wrong-examples';
import { rounds } from '../support/rounds';

let opened: OpenedCore;
beforeAll(async () => {
  opened = await openCore();
});
afterAll(() => opened.close());

const CLIENTS = 8;
const STEPS = rounds(30, 90);
const TYPES = ['Patient', 'Observation', 'Encounter', 'Condition', 'ValueSet', 'Bundle', 'Practitioner'];

/** Small, seeded, and good enough to choose with: a failing run can be repeated. */
function createChooser(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface ModelVersion {
  readonly text: string;
  readonly sequence: number;
  readonly isDeletion: boolean;
}
type Model = Map<string, ModelVersion[]>;

const models = new Map<Release, Model>([
  ['r4', new Map()],
  ['r4b', new Map()],
]);

/** One client's work on its own resources and on shared ones. Versions are stored in the order of their numbers. */
async function runClient(
  release: Release,
  client: number,
  examples: readonly Example[],
  model: Model,
): Promise<void> {
  const choose = createChooser(7919 * (client + 1));
  const context = await opened.context('system', release);
  const { core } = opened;
  const record = (
    type: string,
    id: string,
    version: { versionId: number; text: string; sequence: number; change: string },
  ): void => {
    const name = `${type}/${id}`;
    const versions = model.get(name) ?? [];
    model.set(name, versions);
    if (versions[version.versionId - 1] !== undefined)
      throw new Error(`${name} has version ${version.versionId} twice`);
    versions[version.versionId - 1] = {
      text: version.text,
      sequence: version.sequence,
      isDeletion: version.change === 'delete',
    };
  };
  for (let step = 0; step < STEPS; step++) {
    const example = examples[choose(examples.length)];
    if (example === undefined) throw new Error('there are no examples');
    const { type, document } = example;
    const id = choose(2) === 0 ? `shared-${choose(6)}` : `own-${client}-${choose(4)}`;
    const named = { ...document, value: { ...example.resource, id } };
    try {
      switch (choose(6)) {
        case 0: {
          const { version } = await core.interactions.create(context, type, document);
          record(type, version.id, version);
          break;
        }
        case 1:
        case 2: {
          const { version } = await core.interactions.update(context, { type, id, input: named });
          record(type, id, version);
          break;
        }
        case 3: {
          const operations = [{ op: 'add', path: '/language', value: ['de', 'fr', 'en'][choose(3)] ?? 'en' }];
          const { version } = await core.interactions.patch(context, {
            type,
            id,
            patch: parseJson(JSON.stringify(operations)),
          });
          record(type, id, version);
          break;
        }
        case 4: {
          const { version } = await core.interactions.delete(context, type, id);
          if (version !== undefined) record(type, id, version);
          break;
        }
        default: {
          await core.interactions.delete(context, type, id).then(({ version }) => {
            if (version !== undefined) record(type, id, version);
          });
          const { version } = await core.interactions.update(context, { type, id, input: named });
          record(type, id, version);
        }
      }
    } catch (error) {
      // A patch may meet a resource that is not there, or is there no more.
      if (!(error instanceof FhirError) || !['notFound', 'gone'].includes(error.key)) throw error;
    }
  }
}

async function check(release: Release, model: Model): Promise<number[]> {
  const context = await opened.context('system', release);
  const { core } = opened;
  const sequences: number[] = [];
  for (const [name, versions] of model) {
    const [type = '', id = ''] = name.split('/');
    const page = await core.interactions.history(context, { type, id, count: 1000 });
    expect(page.versions.map(({ text }) => text)).toEqual([...versions].reverse().map(({ text }) => text));
    expect(page.versions.map(({ versionId }) => versionId)).toEqual(
      versions.map((_, index) => versions.length - index),
    );
    for (const [index, version] of versions.entries()) {
      sequences.push(version.sequence);
      const read = core.interactions.vread(context, type, id, String(index + 1));
      if (version.isDeletion) await expect(read).rejects.toMatchObject({ key: 'gone' });
      else expect((await read).text).toBe(version.text);
    }
    for (let index = 1; index < page.versions.length; index++) {
      expect(page.versions[index - 1]?.lastUpdated).toBeGreaterThan(
        page.versions[index]?.lastUpdated ?? Infinity,
      );
      expect(page.versions[index - 1]?.sequence).toBeGreaterThan(page.versions[index]?.sequence ?? Infinity);
    }
    const last = versions.at(-1);
    const read = core.interactions.read(context, type, id);
    if (last?.isDeletion === true) await expect(read).rejects.toMatchObject({ key: 'gone' });
    else expect((await read).text).toBe(last?.text);
  }
  return sequences;
}

it('after a random mix of writes by eight clients every read, version and history equals the model', async () => {
  const clients = Array.from({ length: CLIENTS }, (_, client) => {
    const release: Release = client % 4 === 3 ? 'r4b' : 'r4';
    const examples = readRightExamples(release).filter(
      ({ type, text }) => TYPES.includes(type) && text.length < 60_000,
    );
    return { client, release, examples };
  });
  // All are read before one begins: it takes seconds, in which no other connection could be opened.
  await Promise.all(
    clients.map(({ client, release, examples }) =>
      runClient(release, client, examples, models.get(release) ?? new Map()),
    ),
  );
  const sequences: number[] = [];
  for (const [release, model] of models) sequences.push(...(await check(release, model)));
  expect(sequences.length).toBeGreaterThan(rounds(100, 300));
  sequences.sort((a, b) => a - b);
  expect(sequences).toEqual(sequences.map((_, index) => index + 1));
});

it('the index rows in the database are those that the stored versions give', async () => {
  expect(await opened.differences('system')).toEqual([]);
});

it('the feed has every version once, in the order of its numbers', async () => {
  const context = await opened.context('system', 'r4');
  const reported: string[] = [];
  let last = 0;
  for (;;) {
    const changes = await opened.core.streams.changes(context, last, 37);
    if (changes.length === 0) break;
    for (const { sequence, type, id, versionId, text, change } of changes) {
      expect(sequence).toBeGreaterThan(last);
      last = sequence;
      reported.push(`${type}/${id} ${versionId}`);
      if (change !== 'delete')
        expect((await opened.core.interactions.vread(context, type, id, String(versionId))).text).toBe(text);
    }
  }
  const written = [...(models.get('r4') ?? [])].flatMap(([name, versions]) =>
    versions.map((_, index) => `${name} ${index + 1}`),
  );
  expect(reported.sort()).toEqual(written.sort());
});
