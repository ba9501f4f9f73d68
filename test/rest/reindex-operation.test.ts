/** $reindex and $reindex-status: the index of a tenant's search parameters made again, and how far it is. */
import { eventually } from '../support/eventually';
import { makeParameter } from '../support/search-parameters';
import { connectTo } from '../support/shared-database';
import { openSharedServer, type Answer, type SharedServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
  for (const name of ['north', 'south']) await server.createTenant(name);
});
afterAll(() => server.close());

const HEIGHT = 'http://example.org/fhir/StructureDefinition/height';

function idsOf({ json }: Answer): string[] {
  const entries: readonly { readonly resource: { readonly id: string } }[] = json.entry ?? [];
  return entries.map(({ resource }) => resource.id).sort();
}

describe.each(TESTED_RELEASES)('$reindex in %s', (release) => {
  const send = (method: string, tenant: string, address: string, body?: unknown): Promise<Answer> =>
    server.request(method, `${server.path(tenant, release)}/${address}`, body);
  const get = (tenant: string, address: string): Promise<Answer> => send('GET', tenant, address);

  beforeAll(async () => {
    for (const [id, value] of [
      ['ada', 1.72],
      ['bob', 1.8],
    ] as const) {
      const extension = [
        { url: HEIGHT, valueQuantity: { value, system: 'http://unitsofmeasure.org', code: 'm' } },
      ];
      await send('PUT', 'north', `Patient/${id}`, { resourceType: 'Patient', id, extension });
    }
    const expression = `Patient.extension('${HEIGHT}').value`;
    for (const [id, parts] of [
      ['height', { type: 'quantity', base: ['Patient'], expression }],
      ['speech', { type: 'token', base: ['Patient'], expression: 'Patient.language' }],
    ] as const) {
      const made = await send('PUT', 'north', `SearchParameter/${id}`, makeParameter(id, parts));
      expect(made.status).toBe(201);
      await eventually(async () => (await get('north', `Patient?${id}:missing=true`)).status === 200);
    }
  });

  interface Part {
    readonly name: string;
    readonly [value: string]: unknown;
  }
  const partsOf = ({ json }: Answer): { status: string; each: Record<string, unknown>[] } => {
    const entries: { name: string; valueCode: string; part: Part[] }[] = json.parameter;
    return {
      status: entries[0]?.valueCode ?? '',
      each: entries
        .slice(1)
        .map(({ part }) =>
          Object.fromEntries(
            part.map(({ name, ...value }) => [name, Object.values(value)[0]] satisfies [string, unknown]),
          ),
        ),
    };
  };
  const height = {
    reference: 'SearchParameter/height',
    url: 'http://example.org/fhir/SearchParameter/height',
    type: 'Patient',
    code: 'height',
    searchable: true,
  };

  it('reports the progress of all of them, and of each', async () => {
    const all = await get('north', '$reindex-status');
    expect(all.status).toBe(200);
    expect(partsOf(all).status).toBe('completed');
    expect(partsOf(all).each).toHaveLength(2);
    const one = await get('north', 'SearchParameter/height/$reindex-status');
    expect(partsOf(one).each).toEqual([
      { ...height, status: 'completed', resources: expect.any(Number), indexed: expect.any(Number) },
    ]);
    expect(partsOf(await get('south', '$reindex-status'))).toEqual({ status: 'completed', each: [] });
    expect((await get('north', 'SearchParameter/none/$reindex-status')).status).toBe(404);
  });

  it('restores missing rows, and can be searched meanwhile', async () => {
    const owner = await connectTo(server);
    await owner.query(
      `delete from andiron.range_index where space = $1 and parameter % 1000000 =
         (select number from andiron.search_parameter where space = $1 and code = 'height')`,
      [await owner.spaceOf('north', release)],
    );
    await owner.close();
    expect(idsOf(await get('north', 'Patient?height=gt1'))).toEqual([]);
    const started = await send('POST', 'north', 'SearchParameter/height/$reindex');
    expect(started.status).toBe(200);
    expect(partsOf(started).each).toEqual([expect.objectContaining({ ...height, status: 'in-progress' })]);
    await eventually(async () => partsOf(await get('north', '$reindex-status')).status === 'completed');
    expect(idsOf(await get('north', 'Patient?height=gt1'))).toEqual(['ada', 'bob']);
    expect((await send('POST', 'north', '$reindex')).status).toBe(200);
    await eventually(async () => partsOf(await get('north', '$reindex-status')).status === 'completed');
  });

  it('is for POST, and for the tenant’s own resources', async () => {
    expect((await get('north', '$reindex')).status).toBe(405);
    expect((await send('POST', 'north', 'SearchParameter/none/$reindex')).status).toBe(404);
    expect((await send('POST', 'north', 'SearchParameter/individual-gender/$reindex')).status).toBe(405);
    expect((await send('POST', 'north', 'Patient/ada/$reindex')).status).toBe(400);
  });

  it('is described at the address of its definition', async () => {
    const { json } = await get('south', 'metadata');
    const offered: { name: string; definition: string }[] = json.rest[0].operation;
    const { definition } = offered.find(({ name }) => name === 'reindex') ?? {};
    const found = await get('south', `OperationDefinition?url=${definition}`);
    expect(found.json.entry[0].resource).toMatchObject({ code: 'reindex', url: definition });
    const validated = await send(
      'POST',
      'south',
      'OperationDefinition/$validate',
      found.json.entry[0].resource,
    );
    expect(validated.text).not.toContain('"error"');
  });
});
