/** An update touches the index rows that it changes, and no other. */
import { Client } from 'pg';
import { parseJson } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';

let opened: OpenedCore;
let owner: Client;
beforeAll(async () => {
  // The resources of this test do not conform to profiles.
  opened = await openCore({ environment: { VALIDATION: 'structure' } });
  owner = new Client(opened.database.settings);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await opened.close();
});

const TABLES = ['token_index', 'reference_index', 'range_index', 'string_index', 'uri_index'];

/** Each row of the resource: its table, its place and its writer. Two equal texts are one row that nobody touched. */
async function storedRows(): Promise<string[]> {
  const parts = TABLES.map(
    (table) =>
      `select '${table} ' || ctid::text || ' ' || xmin::text || ' ' || xmax::text as place from andiron.${table} where space > 2`,
  );
  const { rows } = await owner.query<{ place: string }>(parts.join(' union all '));
  // PostgreSQL may give the parts of a union in any order.
  return rows.map(({ place }) => place).sort();
}

const OBSERVATION = {
  resourceType: 'Observation',
  id: 'weight',
  meta: { profile: ['http://hl7.org/fhir/StructureDefinition/vitalsigns'] },
  status: 'final',
  category: [
    {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' }],
    },
  ],
  code: { coding: [{ system: 'http://loinc.org', code: '29463-7' }], text: 'Body weight' },
  subject: { reference: 'Patient/example' },
  effectiveDateTime: '2016-03-28',
  valueQuantity: { value: 185, unit: 'lbs', system: 'http://unitsofmeasure.org', code: '[lb_av]' },
};

const UNLIKE = { ...OBSERVATION.valueQuantity, value: 190 };

async function put(resource: Partial<typeof OBSERVATION> & { readonly id: string }): Promise<number> {
  const context = await opened.context('system', 'r4');
  const { version } = await opened.core.interactions.update(context, {
    type: 'Observation',
    id: resource.id,
    input: parseJson(JSON.stringify(resource)),
  });
  return version.versionId;
}

async function remove(type: string, id: string): Promise<void> {
  await opened.core.interactions.delete(await opened.context('system', 'r4'), type, id);
}

async function changesOf(
  work: () => Promise<unknown>,
): Promise<{ kept: number; gone: number; added: number }> {
  const before = new Set(await storedRows());
  await work();
  const after = new Set(await storedRows());
  const kept = [...before].filter((row) => after.has(row)).length;
  return { kept, gone: before.size - kept, added: after.size - kept };
}

it('an update without a change touches no index row', async () => {
  await put(OBSERVATION);
  const rows = (await storedRows()).length;
  expect(rows).toBeGreaterThan(8);
  expect(await changesOf(() => put(OBSERVATION))).toEqual({ kept: rows, gone: 0, added: 0 });
});

it('an update of one element touches its rows only', async () => {
  const changes = await changesOf(() => put({ ...OBSERVATION, status: 'amended' }));
  expect(changes).toMatchObject({ gone: 1, added: 1 });
  expect(changes.kept).toBeGreaterThan(8);
  expect(await opened.differences('system')).toEqual([]);
});

it('a new clinical date moves all rows with the date', async () => {
  const before = (await storedRows()).length;
  const changes = await changesOf(() =>
    put({ ...OBSERVATION, effectiveDateTime: '2020-01-02T10:00:00+01:00' }),
  );
  expect(changes.added).toBe(changes.gone);
  // Three tokens, one reference and the date itself.
  expect(changes.gone).toBe(5);
  expect(await storedRows()).toHaveLength(before);
  expect(await opened.differences('system')).toEqual([]);
});

it('a clinical date that is removed and added again leaves no old row', async () => {
  const { effectiveDateTime, ...undated } = OBSERVATION;
  const before = (await storedRows()).length;
  await put(undated);
  expect(await opened.differences('system')).toEqual([]);
  await put({ ...undated, effectiveDateTime });
  expect(await storedRows()).toHaveLength(before);
  expect(await opened.differences('system')).toEqual([]);
});

it('the removal of a value also removes rows from before rows had the system of a code', async () => {
  await put(OBSERVATION);
  const before = (await storedRows()).length;
  const { rowCount } = await owner.query(
    'update andiron.range_index set qualifier_system = -1 where space > 2',
  );
  expect(rowCount).toBeGreaterThan(3);
  await put({ ...OBSERVATION, effectiveDateTime: '2016-03-29', valueQuantity: UNLIKE });
  expect(await storedRows()).toHaveLength(before);
  expect(await opened.differences('system')).toEqual([]);
  await put(OBSERVATION);
});

it('a deletion removes all rows, and a PUT after it adds them and continues the versions', async () => {
  const before = (await storedRows()).length;
  await remove('Observation', 'weight');
  expect(await storedRows()).toEqual([]);
  expect(await opened.differences('system')).toEqual([]);
  const context = await opened.context('system', 'r4');
  const { versions } = await opened.core.interactions.history(context, { type: 'Observation', id: 'weight' });
  const { version, created } = await opened.core.interactions.update(context, {
    type: 'Observation',
    id: 'weight',
    input: parseJson(JSON.stringify(OBSERVATION)),
  });
  expect(created).toBe(true);
  expect(version.versionId).toBe((versions[0]?.versionId ?? 0) + 1);
  expect(version.sequence).toBe((versions[0]?.sequence ?? 0) + 1);
  expect(await storedRows()).toHaveLength(before);
  expect(await opened.differences('system')).toEqual([]);
});

it('a second deletion makes no version', async () => {
  await remove('Observation', 'weight');
  const context = await opened.context('system', 'r4');
  const before = await opened.core.interactions.history(context, { type: 'Observation', id: 'weight' });
  expect((await opened.core.interactions.delete(context, 'Observation', 'weight')).version).toBeUndefined();
  expect(
    (await opened.core.interactions.delete(context, 'Observation', 'never-was')).version,
  ).toBeUndefined();
  expect(await opened.core.interactions.history(context, { type: 'Observation', id: 'weight' })).toEqual(
    before,
  );
});

it('the comparison of the index reports each fault and its place', async () => {
  await put({ ...OBSERVATION, id: 'first' });
  await put({ ...OBSERVATION, id: 'second' });
  expect(await opened.differences('system')).toEqual([]);
  await owner.query(`update andiron.token_index set value_hash = value_hash + 1
    where ctid = (select ctid from andiron.token_index where space > 2 limit 1)`);
  const found = await opened.differences('system');
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({
    tenant: 'system',
    release: 'r4',
    type: 'Observation',
    table: 'token_index',
  });
  expect(found[0]).toMatchObject({ missing: [expect.any(String)], superfluous: [expect.any(String)] });

  await owner.query(`delete from andiron.resource where space > 2 and id = 'second'`);
  const tables = new Set((await opened.differences('system')).map(({ table }) => table));
  for (const table of ['token_index', 'range_index', 'resource_version']) expect(tables).toContain(table);

  await owner.query(`delete from andiron.resource_version where space > 2 and version = 1`);
  expect(await opened.differences('system')).toContainEqual(
    expect.objectContaining({ type: 'Observation', id: 'first', table: 'resource_version' }),
  );
});
