/** fhir-kit-client (https://github.com/Vermonster/fhir-kit-client), as its README shows its use. */
import { toParameters } from '../support/fhirpath-patch';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { chalmers, family, transaction } from './example';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

interface Link {
  readonly relation: string;
  readonly url: string;
}

describe.each(TESTED_RELEASES)('fhir-kit-client under %s', (release) => {
  async function open() {
    const { Client } = await import('fhir-kit-client');
    return new Client({ baseUrl: server.root('system', release) });
  }

  it('creates, reads, updates and deletes, and sees the versions', async () => {
    const client = await open();
    const created = await client.create({ resourceType: 'Patient', body: chalmers });
    const id = String(created.id);
    expect(await client.read({ resourceType: 'Patient', id })).toMatchObject(chalmers);
    const body = { ...created, birthDate: '1974' };
    expect(await client.update({ resourceType: 'Patient', id, body })).toMatchObject({ birthDate: '1974' });
    const first = await client.vread({ resourceType: 'Patient', id, version: '1' });
    expect(first).toMatchObject({ birthDate: '1974-12-25' });
    await client.delete({ resourceType: 'Patient', id });
    const history = await client.history({ resourceType: 'Patient', id });
    expect(history).toMatchObject({ resourceType: 'Bundle', type: 'history', total: 3 });
    await expect(client.read({ resourceType: 'Patient', id })).rejects.toMatchObject({
      response: { status: 410, data: { resourceType: 'OperationOutcome' } },
    });
  });

  it('searches, and follows the pages forwards', async () => {
    const client = await open();
    for (const body of family('Kit', 5)) await client.create({ resourceType: 'Patient', body });
    const given: unknown[] = [];
    let pages = 0;
    let page = await client.search({
      resourceType: 'Patient',
      searchParams: { family: 'Kit', _count: 2, _sort: 'given' },
    });
    for (;;) {
      pages++;
      const { entry = [] } = page as { entry?: { resource: { name: { given: string[] }[] } }[] };
      given.push(...entry.map(({ resource }) => resource.name[0]?.given[0]));
      const next = client.nextPage({ bundle: page as typeof page & { link: Link[] } });
      if (next === undefined) break;
      page = await next;
    }
    expect([given, pages]).toEqual([['0', '1', '2', '3', '4'], 3]);
    const before = await client.prevPage({ bundle: page as typeof page & { link: Link[] } });
    expect(before).toMatchObject({
      entry: [{ resource: { name: [{ given: ['2'] }] } }, { resource: { name: [{ given: ['3'] }] } }],
    });
    const posted = await client.search({
      resourceType: 'Patient',
      searchParams: { family: 'Kit', _summary: 'count' },
      options: { postSearch: true },
    });
    expect(posted).toMatchObject({ type: 'searchset', total: 5 });
  });

  it('patches by JSON Patch, and by FHIRPath Patch', async () => {
    const client = await open();
    const { id } = await client.create({ resourceType: 'Patient', body: chalmers });
    const jsonPatch = [{ op: 'replace' as const, path: '/gender', value: 'other' }];
    const patched = await client.patch({ resourceType: 'Patient', id: String(id), jsonPatch });
    expect(patched).toMatchObject({ gender: 'other' });
    const again = await client.request(`Patient/${String(id)}`, {
      method: 'PATCH',
      body: toParameters({ type: 'delete', path: 'Patient.gender' }),
      options: { headers: { 'content-type': 'application/fhir+json' } },
    });
    expect(again).not.toHaveProperty('gender');
  });

  it('creates and updates by criteria', async () => {
    const client = await open();
    const body = { ...chalmers, identifier: [{ system: 'http://example.org/kit', value: '1' }] };
    const headers = { 'if-none-exist': 'identifier=http://example.org/kit|1' };
    const created = await client.create({ resourceType: 'Patient', body, options: { headers } });
    const found = await client.create({ resourceType: 'Patient', body, options: { headers } });
    expect(found.id).toBe(created.id);
    const searchParams = { identifier: 'http://example.org/kit|1' };
    const updated = await client.update({
      resourceType: 'Patient',
      searchParams,
      body: { ...body, gender: 'other' },
    });
    expect(updated).toMatchObject({ id: created.id, gender: 'other' });
  });

  it('sends a transaction, and reads the capabilities', async () => {
    const client = await open();
    const created = expect.stringMatching(/^201/);
    const answer = await client.transaction({ body: transaction('KitTransaction') });
    expect(answer).toMatchObject({
      type: 'transaction-response',
      entry: [{ response: { status: created } }, { response: { status: created } }],
    });
    const found = await client.search({
      resourceType: 'Observation',
      searchParams: { 'subject:Patient.family': 'KitTransaction' },
    });
    expect(found).toMatchObject({ entry: [{ resource: { valueQuantity: { value: 72.5 } } }] });
    const { fhirVersion } = (await client.capabilityStatement()) as { fhirVersion?: string };
    expect(fhirVersion).toBe(release === 'r4' ? '4.0.1' : '4.3.0');
  });

  it('searches in a compartment and in all types, and sends a batch and an operation', async () => {
    const client = await open();
    const idsOf = (bundle: object): unknown[] => {
      const { entry = [] } = bundle as { entry?: { resource: { id: string } }[] };
      return entry.map(({ resource }) => resource.id);
    };
    const { id: made } = await client.create({ resourceType: 'Patient', body: chalmers });
    const id = String(made);
    const observation = {
      ...{ resourceType: 'Observation' as const, status: 'final' as const, code: { text: 'weight' } },
      subject: { reference: `Patient/${id}` },
    };
    const batch = await client.batch({
      body: {
        resourceType: 'Bundle',
        type: 'batch',
        entry: [
          { request: { method: 'POST', url: 'Observation' }, resource: observation },
          { request: { method: 'GET', url: 'Patient/nobody' } },
        ],
      },
    });
    const statuses = [expect.stringMatching(/^201/), expect.stringMatching(/^404/)];
    expect(batch).toMatchObject({
      type: 'batch-response',
      entry: statuses.map((status) => ({ response: { status } })),
    });
    const compartment = { resourceType: 'Patient' as const, id };
    const within = await client.search({ resourceType: 'Observation', compartment });
    expect(within).toMatchObject({ total: 1, entry: [{ resource: { code: { text: 'weight' } } }] });
    const anywhere = await client.search({ searchParams: { _id: id, _type: 'Patient,Observation' } });
    expect(idsOf(anywhere)).toEqual([id]);
    const everything = await client.operation({
      ...{ name: '$everything', resourceType: 'Patient' as const, id },
      method: 'GET',
    });
    expect(new Set(idsOf(everything))).toEqual(new Set([id, ...idsOf(within)]));
  });
});
