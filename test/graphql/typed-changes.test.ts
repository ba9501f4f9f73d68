/** PatientCreate, PatientUpdate, PatientPatch and PatientDelete, for every type; and typed reads as of a moment. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { createSender, readExample, type SendQuery } from './gateway-client';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  for (const name of ['typed', 'other']) await server.createTenant(name);
});
afterAll(() => server.close());

const URN = 'urn:uuid:9d0c1f3e-0000-4000-8000-00000000000b';

describe.each(TESTED_RELEASES)('typed changes of %s', (release) => {
  let send: SendQuery;
  beforeAll(() => {
    send = createSender(server, 'typed', release);
  });

  it('create, update, patch and delete a resource of their type, under the same guards', async () => {
    const made = await send(
      `mutation($res: ResourceInput!) {
        PatientCreate(res: $res, ifNoneExist: "identifier=urn:oid:1.2.36.146.595.217.0.1|12345") {
          location resource { id birthDate meta { versionId } } information { issue { severity diagnostics } }
        }
      }`,
      `{"res":${readExample('Patient-example')}}`,
    );
    expect(made.errors).toEqual([]);
    const { location, resource, information } = made.found.PatientCreate;
    expect(resource).toMatchObject({ birthDate: '1974-12-25', meta: { versionId: '1' } });
    expect(location).toBe(`Patient/${resource.id}/_history/1`);
    expect(information.issue[0]).toMatchObject({ severity: 'information' });
    const { id } = resource;
    const changed = await send(
      `mutation($id: ID!, $res: ResourceInput!, $patch: [JsonPatchOperation!]!) {
        PatientUpdate(id: $id, res: $res, ifMatch: "1") { resource { active } }
        PatientPatch(id: $id, patch: $patch, ifVersion: "2") { resource { active gender } }
        stale: PatientPatch(id: $id, patch: $patch, ifVersion: "2") { resource { active } }
        tried: PatientDelete(id: $id, dryRun: true) { information { issue { diagnostics } } }
        PatientDelete(criteria: "_id=${id}") { information { issue { diagnostics } } }
      }`,
      {
        id,
        res: { resourceType: 'Patient', id, active: true },
        patch: [{ op: 'add', path: '/gender', value: 'other' }],
      },
    );
    expect(changed.found).toMatchObject({
      PatientUpdate: { resource: { active: true } },
      PatientPatch: { resource: { active: true, gender: 'other' } },
      stale: null,
      tried: { information: { issue: [{ diagnostics: `Patient/${id} would be deleted` }] } },
      PatientDelete: { information: { issue: [{ diagnostics: `Patient/${id} is deleted` }] } },
    });
    expect(changed.errors).toMatchObject([{ path: ['stale'], extensions: { code: 'conflict' } }]);
    expect((await send(`{ Patient(id: "${id}") { id } }`)).found.Patient).toBeNull();
  });

  it('accept no resource of another type, and none of another tenant', async () => {
    const basic = await send('mutation { PatientCreate(res: {resourceType: "Basic"}) { location } }');
    expect(basic.status).toBe(400);
    const elsewhere = createSender(server, 'other', release);
    await elsewhere(
      'mutation { PatientUpdate(id: "theirs", res: {resourceType: "Patient", id: "theirs"}) { resource { id } } }',
    );
    const patch = await send(
      'mutation { PatientPatch(id: "theirs", patch: [{op: add, path: "/active", value: true}]) { resource { id } } }',
    );
    expect([patch.status, patch.errors[0]?.extensions.code]).toEqual([404, 'not-found']);
  });

  it('are part of one transaction with others', async () => {
    const { errors, found } = await send(`mutation @atomic {
      PatientCreate(res: {resourceType: "Patient"}, as: "${URN}") { resource { id } }
      ObservationCreate(res: {resourceType: "Observation", status: "final", code: {text: "x"}, subject: {reference: "${URN}"}}) {
        resource { subject { resource { resourceType id } } }
      }
      create(resource: {resourceType: "Basic", code: {text: "x"}, subject: {reference: "${URN}"}}) { resource { id } }
    }`);
    expect(errors).toEqual([]);
    expect(found.ObservationCreate.resource.subject.resource).toEqual({
      resourceType: 'Patient',
      id: found.PatientCreate.resource.id,
    });
    const refused = await send(`mutation @atomic {
      PatientCreate(res: {resourceType: "Patient"}) { location }
      PatientUpdate(id: "p", res: {resourceType: "Patient", id: "p", birthDate: "x"}) { resource { id } }
    }`);
    expect([refused.status, refused.found]).toEqual([400, { PatientCreate: null, PatientUpdate: null }]);
    expect(refused.errors[1]?.extensions.resource.issue[0]?.expression).toEqual(['Patient.birthDate']);
  });

  it('return the changes of earlier mutations of a document', async () => {
    const { errors, found } = await send(`mutation {
      o1: OrganizationUpdate(id: "o", res: {resourceType: "Organization", id: "o", name: "before"}) { resource { id } }
      p1: PatientUpdate(id: "q", res: {resourceType: "Patient", id: "q", managingOrganization: {reference: "Organization/o"}}) { ...Name }
      o2: OrganizationUpdate(id: "o", res: {resourceType: "Organization", id: "o", name: "after"}) { resource { id } }
      p2: PatientPatch(id: "q", patch: [{op: add, path: "/active", value: true}]) { ...Name }
    }
    fragment Name on PatientUpdate { resource { managingOrganization { resource { ... on Organization { name } } } } }`);
    expect(errors).toEqual([]);
    expect(found.p1.resource.managingOrganization.resource.name).toBe('before');
    expect(found.p2.resource.managingOrganization.resource.name).toBe('after');
  });

  it('leave earlier versions to be read: one resource, a list and a connection as of a moment', async () => {
    await send(
      'mutation { PatientUpdate(id: "t", res: {resourceType: "Patient", id: "t", gender: "female"}) { resource { id } } }',
    );
    const moment = (await send('{ Patient(id: "t") { meta { lastUpdated } } }')).found.Patient.meta
      .lastUpdated as string;
    await new Promise((resolve) => setTimeout(resolve, 3));
    await send('mutation { PatientDelete(id: "t") { information { id } } }');
    const query = `query($at: instant) {
      Patient(id: "t", asOf: $at) { gender }
      PatientList(gender: "female", asOf: $at) { id }
      PatientConnection(gender: "female", asOf: $at) { count edges { resource { id } } }
    }`;
    const now = (await send(query)).found;
    expect(now).toEqual({ Patient: null, PatientList: [], PatientConnection: { count: 0, edges: [] } });
    const then = (await send(query, { at: moment })).found;
    expect(then).toEqual({
      Patient: { gender: 'female' },
      PatientList: [{ id: 't' }],
      PatientConnection: { count: 1, edges: [{ resource: { id: 't' } }] },
    });
  });
});
