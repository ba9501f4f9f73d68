/**
 * Everything that is stored comes back with the same meaning, to the last digit: every official example. Those that
 * full validation refuses (test/core/fhir/validate/wrong-examples.json) are stored where only structure is looked at.
 */
import { FhirError, parseJson, type JsonObject, type JsonValue, RELEASE_NAMES } from '../../../src/core';
import { isJsonObject } from '../../../src/core/fhir/json';
import { areIdenticalJson } from '../../../src/core/fhir/json/equality';
import { openCore, type OpenedCore } from '../../support/core';
import { forEachOf, readExamples, toStorable } from '../../support/examples';
import { wrongExamplesOf } from '../../support/wrong-examples';

let opened: OpenedCore;
let lenient: OpenedCore;
beforeAll(async () => {
  opened = await openCore();
  lenient = await openCore({ database: opened.database, environment: { VALIDATION: 'structure' } });
});
afterAll(async () => {
  await lenient.close();
  await opened.close();
});

const EXTENSION_BASE = 'https://andiron.example/fhir/StructureDefinition';
const OURS = new Set([`${EXTENSION_BASE}/version-sequence`, `${EXTENSION_BASE}/author`]);

function isOurs(extension: JsonValue): boolean {
  if (!isJsonObject(extension)) return false;
  const { url } = extension;
  return typeof url === 'string' && OURS.has(url);
}

/** The resource without what the server says of it: id where it gave one, versionId, lastUpdated and two extensions. */
function withoutServerParts(resource: JsonObject, withoutId: boolean): JsonObject {
  const { meta, id, ...others } = resource;
  const kept: JsonObject = withoutId || id === undefined ? others : { ...others, id };
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta)) return kept;
  const { versionId, lastUpdated, extension, ...rest } = meta;
  void versionId;
  void lastUpdated;
  const foreign = Array.isArray(extension) ? extension.filter((member) => !isOurs(member)) : [];
  if (foreign.length > 0) rest['extension'] = foreign;
  return Object.keys(rest).length === 0 ? kept : { ...kept, meta: rest };
}

/** The values of the headers of a Subscription are secrets, which nobody reads in open mode. */
function withoutSecrets(resource: JsonObject): JsonObject {
  const { resourceType, channel } = resource;
  if (resourceType !== 'Subscription' || !isJsonObject(channel) || !Array.isArray(channel['header']))
    return resource;
  const header = channel['header'].map((line) =>
    typeof line === 'string' ? line.replace(/:.*/, ': ***') : line,
  );
  return { ...resource, channel: { ...channel, header } };
}

describe.each(RELEASE_NAMES)('the examples of %s', (release) => {
  const wrong = wrongExamplesOf(release, true);
  const malformed = wrongExamplesOf(release, false);
  const all = readExamples(release);
  const examples = all.filter(({ type, id }) => !malformed.has(`${type}/${id}`)).map(toStorable);
  const storeOf = (type: string, id: string): OpenedCore => (wrong.has(`${type}/${id}`) ? lenient : opened);

  it.each([
    ['full', () => opened, wrong],
    ['structural', () => lenient, malformed],
  ])('with errors are refused by %s validation', async (_name, core, expected) => {
    const refused: string[] = [];
    await forEachOf(all, 32, async ({ type, id, document }) => {
      if (!wrong.has(`${type}/${id}`)) return;
      const context = await core().context('system', release);
      await core()
        .core.interactions.update(context, { type, id, input: document })
        .catch((error: unknown) => {
          if (!(error instanceof FhirError) || ![400, 422].includes(error.status)) throw error;
          refused.push(`${type}/${id}`);
        });
    });
    expect(refused.sort()).toEqual([...expected.keys()].sort());
  });

  it('are unchanged after a PUT, including the order of members', async () => {
    const unequal: string[] = [];
    await forEachOf(examples, 32, async ({ type, id, document, resource }) => {
      const store = storeOf(type, id);
      const context = await store.context('system', release);
      await store.core.interactions.update(context, { type, id, input: document });
      const { text } = await store.core.interactions.read(context, type, id);
      const back = parseJson(text).value as JsonObject;
      const isEqual =
        areIdenticalJson(
          withoutServerParts(back, false),
          withoutServerParts(withoutSecrets(resource), false),
        ) &&
        Object.keys(back)
          .filter((name) => name !== 'meta')
          .join() ===
          Object.keys(resource)
            .filter((name) => name !== 'meta')
            .join();
      if (!isEqual) unequal.push(`${type}/${id}`);
    });
    expect(unequal).toEqual([]);
  });

  it('are unchanged after a POST', async () => {
    const unequal: string[] = [];
    await forEachOf(examples, 32, async ({ type, id, document, resource }) => {
      const store = storeOf(type, id);
      const context = await store.context('system', release);
      const { version } = await store.core.interactions.create(context, type, document);
      const { text } = await store.core.interactions.read(context, type, version.id);
      if (text !== version.text) unequal.push(`${type}/${version.id} differs from the answer of its create`);
      const back = parseJson(text).value as JsonObject;
      if (
        !areIdenticalJson(withoutServerParts(back, true), withoutServerParts(withoutSecrets(resource), true))
      )
        unequal.push(`${type}/${id}`);
    });
    expect(unequal).toEqual([]);
  });
});

it('the search index matches the stored examples', async () => {
  expect(await opened.differences('system')).toEqual([]);
});
