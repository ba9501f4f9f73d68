/** Long resources are prepared in a thread of their own, and nobody can tell but by the time that others wait. */
import { parseJson, toResourceInput, type JsonObject } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';

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
