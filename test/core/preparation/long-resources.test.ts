/** Long resources are prepared in a thread of their own, and nobody can tell but by the time that others wait. */
import { setTimeout as delay } from 'node:timers/promises';
import { parseJson, toResourceInput, type JsonObject } from '../../../src/core';
import type { Preparer } from '../../../src/core/preparation/preparer';
import { openCore, type OpenedCore } from '../../support/core';
import { JSON_LIMITS, openPreparers, openTransaction, versionsOf } from './preparers';

let opened: OpenedCore;
beforeAll(async () => {
  opened = await openCore();
});
afterAll(() => opened.close());

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
  const created = await opened.core.interactions.create(
    context,
    'Patient',
    toResourceInput(text, JSON_LIMITS),
  );
  expect(contentOf(created.version.text)).toEqual(JSON.parse(text));
  const { id } = created.version;
  const patched = await opened.core.interactions.patch(context, {
    type: 'Patient',
    id,
    patch: toResourceInput('[{"op":"replace","path":"/name/0/family","value":"Provence"}]', JSON_LIMITS),
  });
  expect(patched.version.versionId).toBe(2);
  const search = (family: string): Promise<number | undefined> =>
    opened.core.interactions
      .search(context, { type: 'Patient', parameters: [['family', family]] })
      .then(({ total }) => total);
  expect(await search('Provence')).toBe(1);
  expect(await search('Languedoc')).toBe(0);
  await opened.core.interactions.delete(context, 'Patient', id);
  expect(await search('Provence')).toBe(0);
  expect(await opened.differences('system')).toEqual([]);
});

it('a long resource that is wrong is refused as a short one is', async () => {
  const context = await opened.context('system', 'r4b');
  const refusalOf = async (text: string): Promise<unknown> =>
    opened.core.interactions
      .create(context, 'Patient', toResourceInput(text, JSON_LIMITS))
      .catch((error: unknown) => error);
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
    await opened.core.interactions.update(context, {
      type: 'Patient',
      id: 'long-and-short',
      input: toResourceInput(text, JSON_LIMITS),
    });
  }
  expect(await opened.differences('system')).toEqual([]);
});

it('a transaction of 40 kB is the same whichever thread prepares it', async () => {
  const { space } = await opened.context('system', 'r4');
  const { here, there, pool, names } = openPreparers();
  const prepare = async (preparer: Preparer, status: string): Promise<unknown> => {
    const bundle = await openTransaction(preparer, space, { status, entries: 100 });
    const prepared = bundle.prepare(versionsOf(space, 100));
    return prepared.catch((error: unknown) => error).finally(() => bundle.close());
  };
  try {
    while (!pool.canStartSoon()) await delay(20);
    const prepared = await prepare(there, 'final');
    expect(names).toEqual(['bundle', 'versions']);
    expect(prepared).toEqual(await prepare(here, 'final'));
    const refusal = await prepare(there, 'finished');
    expect(refusal).toMatchObject({ name: 'FhirError' });
    expect(refusal).toEqual(await prepare(here, 'finished'));
    // While it has something long to do, nobody waits for it.
    const long = there.outline({ text: `[${'1,'.repeat(200_000)}1]`, limits: { ...JSON_LIMITS, levels: 1 } });
    expect(await prepare(there, 'final')).toEqual(prepared);
    expect(names).toHaveLength(5);
    await long;
  } finally {
    await pool.close();
  }
});
