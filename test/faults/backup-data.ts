/** Data of two tenants and both releases for tests of backups, and all that a client sees of them. */
import type { Release } from '../../src/core';
import { eventually } from '../support/eventually';
import type { ServerProcess } from '../support/process';

/** The answered text of each acknowledged version, by its address. */
export type Acknowledged = Map<string, string>;

const TENANTS = ['system', 'acme'];
const RELEASES: readonly Release[] = ['r4', 'r4b'];
const PATIENTS = 5;
const SEARCHES = [
  'Patient?_sort=_id&_count=1000',
  'Patient?family=Muster&_sort=_id&_count=1000',
  'Patient?birthdate=ge1980&_sort=_id&_count=1000',
  'Patient?name:contains=ster&_sort=_id&_count=1000',
  'Patient?ward=north&_sort=_id&_count=1000',
  'Observation?subject:Patient.family=Muster&_sort=_id&_count=1000',
  'Observation?code=8867-4&value-quantity=gt60&_sort=_id&_count=1000',
  '_history?_count=1000',
];

interface Change {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/**
 * Writes patients (created, updated, deleted) and observations into both releases of two tenants, and makes the tenant
 * and a search parameter of its own where they are missing. Returns what was acknowledged.
 */
export async function fillTenants(server: ServerProcess, prefix = 'first'): Promise<Acknowledged> {
  const made = await server.request('POST', '/w/system/api/v1/tenants', '{"name":"acme"}', {
    'content-type': 'application/json',
  });
  expect([201, 409]).toContain(made.status);
  const acknowledged: Acknowledged = new Map();
  for (const tenant of TENANTS)
    for (const release of RELEASES) {
      const root = server.path(tenant, release);
      await addSearchParameter(server, root);
      for (const { method, path, body } of changes(prefix)) {
        const { status, json } = await server.request(method, `${root}/${path}`, body);
        expect([200, 201, 204]).toContain(status);
        if (method !== 'PUT') continue;
        const address = `${root}/${path}/_history/${json.meta.versionId}`;
        acknowledged.set(address, (await server.request('GET', address)).text);
      }
    }
  return acknowledged;
}

function changes(prefix: string): readonly Change[] {
  return Array.from({ length: PATIENTS }, (_, number) => `${prefix}-${number}`).flatMap((id, number) => {
    const patient = (family: string): Change => ({
      method: 'PUT',
      path: `Patient/${id}`,
      body: {
        resourceType: 'Patient',
        id,
        name: [{ family }],
        birthDate: `19${78 + number}-02-03`,
        extension: [{ url: 'http://hospital.example/ward', valueCode: number % 2 === 0 ? 'north' : 'south' }],
      },
    });
    const observation: Change = {
      method: 'PUT',
      path: `Observation/${id}`,
      body: {
        resourceType: 'Observation',
        id,
        status: 'final',
        code: { coding: [{ system: 'http://loinc.org', code: '8867-4' }] },
        subject: { reference: `Patient/${id}` },
        valueQuantity: {
          value: 58 + number,
          unit: '/min',
          system: 'http://unitsofmeasure.org',
          code: '/min',
        },
      },
    };
    const last: Change = { method: 'DELETE', path: `Patient/${id}` };
    return [patient('Muster'), observation, patient(`Muster-${prefix}`), ...(number === 0 ? [last] : [])];
  });
}

async function addSearchParameter(server: ServerProcess, root: string): Promise<void> {
  const address = `${root}/SearchParameter/ward`;
  if ((await server.request('GET', address)).status === 200) return;
  const { status } = await server.request('PUT', address, {
    resourceType: 'SearchParameter',
    id: 'ward',
    url: 'http://hospital.example/SearchParameter/ward',
    name: 'ward',
    status: 'active',
    description: 'The ward of a patient',
    code: 'ward',
    base: ['Patient'],
    type: 'token',
    expression: "Patient.extension.where(url = 'http://hospital.example/ward').value.ofType(code)",
  });
  expect(status).toBe(201);
  await eventually(async () => {
    const { json } = await server.request('GET', `${address}/$reindex-status`);
    return json.parameter?.[0]?.valueCode === 'completed';
  }, 60_000);
}

/** The list of tenants, and all searches and histories of each tenant and release, by address. */
export async function readAll(server: ServerProcess): Promise<ReadonlyMap<string, string>> {
  const addresses = TENANTS.flatMap((tenant) =>
    RELEASES.flatMap((release) => SEARCHES.map((search) => `${server.path(tenant, release)}/${search}`)),
  );
  const found = new Map<string, string>();
  for (const address of [...addresses, '/w/system/api/v1/tenants']) {
    const { status, text, json } = await server.request('GET', address);
    expect([address, status]).toEqual([address, 200]);
    if (json.resourceType === 'Bundle') expect([address, json.entry?.length ?? 0]).not.toEqual([address, 0]);
    found.set(address, text);
  }
  return found;
}
