/** Mutations of one document as one transaction. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { createSender, type SendQuery } from './gateway-client';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  for (const name of ['atomic', 'other']) await server.createTenant(name);
});
afterAll(() => server.close());

const URN = 'urn:uuid:9d0c1f3e-0000-4000-8000-00000000000a';

describe.each(TESTED_RELEASES)('an @atomic mutation of %s', (release) => {
  let send: SendQuery;
  beforeAll(() => {
    send = createSender(server, 'atomic', release);
  });
  const numberOfVersions = async (): Promise<number> => {
    const { json } = await server.request('GET', `${server.path('atomic', release)}/_history?_count=0`);
    return json.total as number;
  };

  it('executes all its fields as one transaction, and later ones refer to resources of earlier ones', async () => {
    await send(
      'mutation { update(resource: {resourceType: "Basic", id: "old", code: {text: "a"}}) { versionId } }',
    );
    const { status, errors, found } = await send(
      `mutation($mother: ResourceInput!, $skips: Boolean!) @atomic {
        mother: create(resource: $mother, as: "${URN}") { ...Made }
        ...Others
        never: create(resource: {resourceType: "Nonsense"}) @skip(if: $skips) { created }
        old: delete(type: Basic, id: "old", ifVersion: "1") { deleted versionId }
      }
      fragment Others on Mutation {
        child: update(resource: {resourceType: "Patient", id: "child-1", link: [{other: {reference: "${URN}"}, type: "seealso"}]}) { ...Made }
        weight: create(
          resource: {resourceType: "Observation", status: "final", code: {text: "weight"}, subject: {reference: "${URN}"}, valueQuantity: {value: 3.20}}
          ifNoneExist: "subject=Patient/nobody-yet"
        ) { ...Made }
      }
      fragment Made on WriteResult { created versionId location resource { id meta { versionSequence } json } }`,
      { mother: { resourceType: 'Patient', name: [{ family: 'Mother' }] }, skips: true },
    );
    expect([status, errors]).toEqual([200, []]);
    const { mother, child, weight, old, never } = found;
    const reference = `Patient/${mother.resource.id}`;
    expect(child.resource.json.link[0].other).toEqual({ reference });
    expect(weight.resource.json.subject).toEqual({ reference });
    expect(old).toEqual({ deleted: 1, versionId: '2' });
    expect(never).toBeUndefined();
    const sequences = [mother, child, weight].map(({ resource }) => resource.meta.versionSequence as number);
    expect(Math.max(...sequences) - Math.min(...sequences)).toBe(2);
    const read = await send(`{ read(type: Observation, id: "${weight.resource.id}") { json } }`);
    expect(read.text).toContain('"valueQuantity":{"value":3.20}');
  });

  it('does nothing when one field is refused, and names the field', async () => {
    const before = await numberOfVersions();
    const answer = await send(`mutation @atomic {
      good: create(resource: {resourceType: "Patient"}) { versionId }
      bad: update(resource: {resourceType: "Patient", id: "p", birthDate: "soon"}) { versionId }
      alsoGood: create(resource: {resourceType: "Patient"}) { versionId }
      worse: create(resource: {resourceType: "Patient", gender: "robot"}) { versionId }
    }`);
    expect(answer.status).toBe(400);
    expect(answer.found).toEqual({ good: null, bad: null, alsoGood: null, worse: null });
    const messages = new Map(
      answer.errors.map(({ path, message, extensions }) => [path?.[0], { message, ...extensions }]),
    );
    expect([...messages.keys()]).toEqual(['good', 'bad', 'alsoGood', 'worse']);
    expect(messages.get('bad')?.resource.issue[0]?.expression).toEqual(['Patient.birthDate']);
    expect(messages.get('worse')?.resource.issue[0]?.expression).toEqual(['Patient.gender']);
    expect(messages.get('good')?.message).toMatch(/^Not done, because 'bad' failed/);
    expect(await numberOfVersions()).toBe(before);
  });

  it.each([
    [
      'a guard that does not hold',
      'b: update(resource: {resourceType: "Basic", id: "g", code: {text: "x"}}, ifMatch: "7") { created }',
      412,
      'conflict',
    ],
    [
      'a second change of one resource',
      'b: update(resource: {resourceType: "Patient", id: "one"}) { created } c: delete(type: Patient, id: "one") { deleted }',
      400,
      'value',
    ],
    [
      'a urn that two have',
      `b: create(resource: {resourceType: "Basic"}, as: "${URN}") { created } c: create(resource: {resourceType: "Basic"}, as: "${URN}") { created }`,
      400,
      'value',
    ],
    [
      'what is no urn',
      'b: create(resource: {resourceType: "Basic"}, as: "mother") { created }',
      400,
      'value',
    ],
    [
      'a dry run of a part',
      'b: create(resource: {resourceType: "Patient"}, dryRun: true) { created }',
      400,
      'value',
    ],
    ['arguments that do not fit together', 'b: delete(type: Patient) { created }', 400, 'value'],
  ])('does nothing with %s', async (_what, fields, status, code) => {
    const before = await numberOfVersions();
    const answer = await send(
      `mutation @atomic { a: create(resource: {resourceType: "Patient"}) { versionId } ${fields} }`,
    );
    expect([answer.status, answer.errors[0]?.extensions.code]).toEqual([status, code]);
    expect(answer.errors.map(({ message }) => message).join()).not.toContain('Entry');
    expect(await numberOfVersions()).toBe(before);
  });

  it('supports dryRun as a whole', async () => {
    const before = await numberOfVersions();
    const { found, errors } = await send(`mutation @atomic {
      a: create(resource: {resourceType: "Patient"}, as: "${URN}", dryRun: true) { resource { id } }
      b: update(resource: {resourceType: "Patient", id: "of-a", link: [{other: {reference: "${URN}"}, type: "seealso"}]}, dryRun: true) { created resource { json } }
    }`);
    expect(errors).toEqual([]);
    expect(found.b.resource.json.link[0].other.reference).toBe(`Patient/${found.a.resource.id}`);
    expect(await numberOfVersions()).toBe(before);
  });

  it('is refused before anything runs where a field cannot be part of a transaction', async () => {
    const before = await numberOfVersions();
    const answer = await send(`mutation @atomic {
      a: create(resource: {resourceType: "Patient"}) { versionId }
      ...More
    }
    fragment More on Mutation { transaction(bundle: {resourceType: "Bundle", type: "transaction"}) { id } }`);
    expect([answer.status, answer.errors[0]?.message]).toEqual([
      400,
      expect.stringContaining("'transaction' cannot be part of an operation with @atomic"),
    ]);
    expect((await send('query @atomic { read(type: Patient, id: "a") { id } }')).status).toBe(400);
    const alone = await send(
      `mutation { create(resource: {resourceType: "Patient"}, as: "${URN}") { created } }`,
    );
    expect([alone.status, alone.errors[0]?.extensions.code]).toEqual([422, 'not-supported']);
    expect(await numberOfVersions()).toBe(before);
  });

  it('refers to nothing of another tenant', async () => {
    const elsewhere = createSender(server, 'other', release);
    await elsewhere(
      'mutation { update(resource: {resourceType: "Patient", id: "theirs", identifier: [{system: "urn:x", value: "9"}]}) { created } }',
    );
    const before = await numberOfVersions();
    const answer = await send(`mutation @atomic {
      a: create(resource: {resourceType: "Basic", code: {text: "x"}, subject: {reference: "Patient?identifier=urn:x|9"}}) { created }
      b: patch(type: Patient, id: "theirs", patch: [{op: add, path: "/active", value: true}]) { created }
    }`);
    expect(answer.errors).toHaveLength(2);
    expect(await numberOfVersions()).toBe(before);
    expect(
      (await elsewhere('{ read(type: Patient, id: "theirs") { meta { versionId } } }')).found.read.meta
        .versionId,
    ).toBe('1');
  });
});
