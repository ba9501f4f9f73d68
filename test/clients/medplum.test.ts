/** @medplum/core's client (https://www.medplum.com/docs/sdk/core.medplumclient), where it needs no server of Medplum's. */
import { MedplumClient, OperationOutcomeError } from '@medplum/core';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { chalmers, family, transaction } from './example';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

/** The expected shape: the package has no types of resources. */
interface Entry {
  readonly resource: { readonly meta: { readonly versionId: string } };
}
interface Issue {
  readonly severity: string;
}

describe.each(TESTED_RELEASES)("Medplum's client under %s", (release) => {
  const open = (autoBatchTime = 0) =>
    new MedplumClient({
      baseUrl: `${server.base}/`,
      fhirUrlPath: `w/system/api/v1/fhir/${release}/`,
      fetch,
      cacheTime: 0,
      autoBatchTime,
    });

  it('creates, reads, updates and deletes, and sees the versions', async () => {
    const client = open();
    const created = await client.createResource(chalmers);
    expect(await client.readResource('Patient', created.id)).toMatchObject(chalmers);
    const updated = await client.updateResource({ ...created, gender: 'other' as const });
    expect(updated).toMatchObject({ gender: 'other', meta: { versionId: '2' } });
    expect(await client.readVersion('Patient', created.id, '1')).toMatchObject({ gender: 'male' });
    const history = await client.readHistory('Patient', created.id);
    expect(history.entry?.map((entry: Entry) => entry.resource.meta.versionId)).toEqual(['2', '1']);
    await client.deleteResource('Patient', created.id);
    const refusal = await client.readResource('Patient', created.id).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(OperationOutcomeError);
    expect(refusal).toMatchObject({ outcome: { issue: [{ code: 'deleted' }] } });
  });

  it('searches, and goes through the pages', async () => {
    const client = open();
    for (const patient of family('Medplum', 5)) await client.createResource(patient);
    const query = { family: 'Medplum', _count: 2, _sort: 'given' };
    const pages: (string | undefined)[][] = [];
    for await (const page of client.searchResourcePages('Patient', query)) {
      pages.push(page.map(({ name }) => name?.[0]?.given?.[0]));
    }
    expect(pages).toEqual([['0', '1'], ['2', '3'], ['4']]);
    expect(await client.searchOne('Patient', 'family=Medplum&given=3')).toMatchObject({
      name: [{ given: ['3'] }],
    });
  });

  it('patches', async () => {
    const client = open();
    const { id } = await client.createResource(chalmers);
    const patched = await client.patchResource('Patient', id, [
      { op: 'test', path: '/meta/versionId', value: '1' },
      { op: 'replace', path: '/gender', value: 'other' },
    ]);
    expect(patched).toMatchObject({ gender: 'other', meta: { versionId: '2' } });
    await expect(
      client.patchResource('Patient', id, [{ op: 'test', path: '/meta/versionId', value: '1' }]),
    ).rejects.toBeInstanceOf(OperationOutcomeError);
  });

  it('creates only missing resources', async () => {
    const client = open();
    const identifier = [{ system: 'http://example.org/medplum', value: '1' }];
    const query = 'identifier=http://example.org/medplum|1';
    const created = await client.createResourceIfNoneExist({ ...chalmers, identifier }, query);
    const found = await client.createResourceIfNoneExist({ ...chalmers, identifier }, query);
    expect(found.id).toBe(created.id);
    const changed = await client.upsertResource({ ...chalmers, identifier, gender: 'other' as const }, query);
    expect(changed).toMatchObject({ id: created.id, gender: 'other', meta: { versionId: '2' } });
  });

  it('sends a transaction, and validates a resource', async () => {
    const client = open();
    const answer = await client.executeBatch(transaction('MedplumTransaction'));
    expect(answer).toMatchObject({ type: 'transaction-response' });
    const [observation] = await client.searchResources('Observation', {
      'subject:Patient.family': 'MedplumTransaction',
    });
    expect(observation).toMatchObject({ valueQuantity: { value: 72.5 } });
    expect(await client.readReference({ reference: observation?.subject?.reference ?? '' })).toMatchObject({
      name: [{ family: 'MedplumTransaction' }],
    });
    const outcome = await client.validateResource(chalmers);
    expect(outcome.issue.every((issue: Issue) => issue.severity !== 'error')).toBe(true);
  });

  it('joins concurrent reads into a batch of its own', async () => {
    const client = open(20);
    const created = await Promise.all(
      family('BatchLimits', 3).map((patient) => client.createResource(patient)),
    );
    const read = await Promise.all(created.map(({ id }) => client.readResource('Patient', id)));
    expect(read.map(({ id }: { readonly id: string }) => id)).toEqual(created.map(({ id }) => id));
  });

  it('stores content that is no resource, reads the whole record of a patient, expands a value set and queries by GraphQL', async () => {
    const client = open();
    const patient = await client.createResource({ ...chalmers, name: [{ family: 'MedplumWhole' }] });
    const binary = await client.createBinary({
      ...{ data: 'a,b\n1,2\n', contentType: 'text/csv', filename: 'numbers.csv' },
    });
    expect(binary).toMatchObject({ resourceType: 'Binary', contentType: 'text/csv' });
    const bytes = await client.download(client.fhirUrl('Binary', binary.id ?? '').toString());
    expect(await bytes.text()).toBe('a,b\n1,2\n');
    const whole = await client.readPatientEverything(patient.id);
    expect(whole.entry?.map((entry: { resource?: { id?: string } }) => entry.resource?.id)).toEqual([
      patient.id,
    ]);
    const valueSet = await client.valueSetExpand({
      ...{ url: 'http://hl7.org/fhir/ValueSet/administrative-gender', filter: 'fem' },
    });
    expect(valueSet.expansion?.contains).toMatchObject([{ code: 'female' }]);
    const answer = await client.graphql(`{ Patient(id: "${patient.id}") { name { family } } }`);
    expect(answer).toMatchObject({ data: { Patient: { name: [{ family: 'MedplumWhole' }] } } });
  });
});
