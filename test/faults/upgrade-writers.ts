/** Clients of a server that write all kinds of data and record acknowledged writes; all others are failures. */
import type { ServerProcess } from '../support/process';

export interface Acknowledged {
  /** Texts by `release Type/id/version`; of a deletion the empty one. */
  readonly versions: Map<string, string>;
  /** Requests with an unexpected answer. */
  readonly failures: string[];
  /** Answered requests. */
  count: number;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const RELEASES = ['r4', 'r4b'] as const;
export const MARK = 'http://example.org/fhir/StructureDefinition/mark';

/**
 * Requests of one client until `isOver`: of both releases, one after the other. `name` leads its ids and is unlike any
 * other's. `shared`: an id that other clients update too.
 */
export async function writeUntil(
  isOver: () => boolean,
  server: ServerProcess,
  name: string,
  shared: string,
  noted: Acknowledged,
): Promise<void> {
  for (let step = 0; !isOver(); step++) {
    const release = RELEASES[step % 2] ?? 'r4';
    const root = server.path('system', release);
    const id = `${name}-${release}`;
    const send = async (
      allowed: readonly number[],
      method: string,
      path: string,
      body?: unknown,
      headers?: Record<string, string>,
    ): Promise<Awaited<ReturnType<ServerProcess['request']>> | undefined> => {
      try {
        const answer = await server.request(method, path, body, headers);
        if (allowed.includes(answer.status)) {
          noted.count += 1;
          return answer;
        }
        noted.failures.push(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
      } catch (error) {
        noted.failures.push(`${method} ${path}: ${String(error)}`);
      }
      return undefined;
    };
    const note = (type: string, text: string): void => {
      const resource = JSON.parse(text) as { id: string; meta: { versionId: string } };
      noted.versions.set(`${release} ${type}/${resource.id}/${resource.meta.versionId}`, text);
    };
    const patient = {
      resourceType: 'Patient',
      id,
      name: [{ family: `Family${step}`, given: [name] }],
      birthDate: `19${String(10 + (step % 80))}-01-01`,
      identifier: [{ system: 'urn:step', value: `${name}-${step}` }],
    };
    const put = await send([200, 201], 'PUT', `${root}/Patient/${id}`, patient);
    if (put !== undefined) note('Patient', put.text);
    const found = await send([200], 'GET', `${root}/Patient?identifier=urn:step|${name}-${step}`);
    if (found !== undefined && found.json.entry?.length !== 1)
      noted.failures.push(`${name}-${step} of ${release} was not found: ${found.text.slice(0, 500)}`);

    const patch = [{ op: 'add', path: '/language', value: `x-l${step}` }];
    const patched = await send([200], 'PATCH', `${root}/Patient/${id}`, patch, {
      'content-type': 'application/json-patch+json',
    });
    if (patched !== undefined) note('Patient', patched.text);

    const observation = {
      resourceType: 'Observation',
      status: 'final',
      code: { coding: [{ system: 'http://loinc.org', code: '8867-4' }] },
      effectiveDateTime: '2020-01-01',
      valueQuantity: { value: step, unit: '/min', system: 'http://unitsofmeasure.org', code: '/min' },
      subject: { reference: `Patient/${id}` },
    };
    const created = await send([201], 'POST', `${root}/Observation`, observation);
    if (created !== undefined) note('Observation', created.text);

    const bundle = {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [
        {
          fullUrl: 'urn:uuid:5b8f6a4e-0c60-4a5f-8f0e-3a1b6c0f1a11',
          resource: observation,
          request: { method: 'POST', url: 'Observation' },
        },
        {
          resource: {
            resourceType: 'List',
            id,
            status: 'current',
            mode: 'working',
            entry: [{ item: { reference: 'urn:uuid:5b8f6a4e-0c60-4a5f-8f0e-3a1b6c0f1a11' } }],
          },
          request: { method: 'PUT', url: `List/${id}` },
        },
      ],
    };
    const done = await send([200], 'POST', root, bundle);
    for (const { resource } of done?.json.entry ?? []) note(resource.resourceType, JSON.stringify(resource));

    const marked = {
      resourceType: 'Basic',
      id: shared,
      code: { text: name },
      extension: [{ url: MARK, valueCode: `${name}-${step}` }],
    };
    const basic = await send([200, 201], 'PUT', `${root}/Basic/${shared}`, marked);
    if (basic !== undefined) note('Basic', basic.text);

    const deleted = await send([200], 'DELETE', `${root}/List/${id}`);
    const version = /\d+/.exec(deleted?.headers.etag ?? '')?.[0];
    if (version !== undefined) noted.versions.set(`${release} List/${id}/${version}`, '');

    const graphql = `/w/system/api/v1/graphql/${release}`;
    const queried = await send(
      [200],
      'POST',
      graphql,
      { query: `{ Patient(id: "${id}") { id } }` },
      JSON_TYPE,
    );
    if (queried !== undefined && queried.json.data?.Patient?.id !== id)
      noted.failures.push(`GraphQL: ${queried.text.slice(0, 500)}`);
    await send(
      [200],
      'GET',
      `${root}/StructureDefinition?url=http://hl7.org/fhir/StructureDefinition/Patient`,
    );
    await send([200], 'POST', `${root}/Patient/$validate`, patient);
    await send([200], 'GET', '/health/ready');

    // Data other than FHIR: accounts and credentials, tenants.
    if (step % 4 !== 0) continue;
    const tenant = `${name}-${step}`.toLowerCase();
    await send([201], 'POST', '/w/system/api/v1/tenants', { name: tenant }, JSON_TYPE);
    const below = `/w/system/api/v1/tenants/${tenant}`;
    const client = await send(
      [201],
      'POST',
      `${below}/clients`,
      { name: 'Round', scopes: ['system/*.cruds'] },
      JSON_TYPE,
    );
    const account = { name: 'nurse', password: 'a long password of the ward', release };
    await send([201], 'POST', `${below}/users`, account, JSON_TYPE);
    if (client === undefined) continue;
    const { id: clientId, secret } = client.json as { id: string; secret: { secret: string } };
    const form = `grant_type=client_credentials&client_id=${clientId}&client_secret=${encodeURIComponent(secret.secret)}`;
    const token = await send([200], 'POST', `/w/${tenant}/oidc/token`, form, FORM);
    const authorization = `Bearer ${String(token?.json.access_token)}`;
    await send(
      [201],
      'POST',
      `${server.path(tenant, release)}/Patient`,
      { resourceType: 'Patient' },
      {
        'content-type': 'application/fhir+json',
        authorization,
      },
    );
  }
}
