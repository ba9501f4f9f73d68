/** Searches as of a moment, compared with the results of the same searches at that moment. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { createSender, type SendQuery } from './gateway-client';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  for (const name of ['past', 'other']) await server.createTenant(name);
});
afterAll(() => server.close());

const WRITES = 12;
const QUERIES = [
  '_sort=_id',
  'gender=female&_sort=-birthdate,_id',
  'gender:not=female&_sort=family,_id',
  'family=m&birthdate=ge1980&_sort=_id',
  'family:contains=ller&_sort=_id',
  'birthdate:missing=true&_sort=_id',
  'general-practitioner=Practitioner/p1&_sort=-_lastUpdated',
  'identifier=urn:mrn|3&active=true&_sort=_id',
  '_id=r1,r3&_sort=_id',
  '_content=muster&_sort=_id',
];

const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] as T;

function randomPatient(id: string): object {
  return {
    resourceType: 'Patient',
    id,
    identifier: [{ system: 'urn:mrn', value: String(Math.floor(Math.random() * 4)) }],
    name: [{ family: pick(['Meier', 'Müller', 'Muster', 'Keller']) }],
    active: pick([true, false]),
    ...pick([{ gender: 'male' }, { gender: 'female' }, {}]),
    ...pick([{ birthDate: '1975-03-01' }, { birthDate: '1985' }, {}]),
    ...pick([{ generalPractitioner: [{ reference: 'Practitioner/p1' }] }, {}]),
  };
}

describe.each(TESTED_RELEASES)('lists of %s as of a moment', (release) => {
  let send: SendQuery;
  beforeAll(() => {
    send = createSender(server, 'past', release);
  });

  const fields = (page: string): string =>
    QUERIES.map(
      (query, index) =>
        `q${index}: search(type: Patient, query: ${JSON.stringify(query)}, first: 100${page}) { total resources { id meta { versionId } } }`,
    ).join('\n');

  it('find the same as the searches found then, after any number of changes and deletions since', async () => {
    const seen: { moment: string; found: unknown }[] = [];
    for (let write = 0; write < WRITES; write++) {
      await new Promise((resolve) => setTimeout(resolve, 3));
      const id = `r${Math.floor(Math.random() * 5)}`;
      const isDeletion = Math.random() < 0.25;
      const written = isDeletion
        ? await send(`mutation { delete(type: Patient, id: "${id}") { versionId } }`)
        : await send('mutation($r: ResourceInput!) { update(resource: $r) { versionId } }', {
            r: randomPatient(id),
          });
      expect(written.errors).toEqual([]);
      const last = await send('{ history(type: Patient, first: 1) { versions { lastUpdated } } }');
      const moment = last.found.history.versions[0]?.lastUpdated as string | undefined;
      const { found, errors } = await send(`{ ${fields('')} }`);
      expect(errors).toEqual([]);
      if (moment !== undefined) seen.push({ moment, found });
    }
    for (const { moment, found } of seen) {
      const again = await send(`query($at: instant!) { ${fields(', asOf: $at')} }`, { at: moment });
      expect([moment, again.errors, again.found]).toEqual([moment, [], found]);
    }
    // None of it is another tenant's.
    const elsewhere = createSender(server, 'other', release);
    const { found } = await elsewhere(`query($at: instant!) { ${fields(', asOf: $at')} }`, {
      at: seen.at(-1)?.moment,
    });
    expect(Object.values(found).map((page) => (page as { total: number }).total)).toEqual(
      QUERIES.map(() => 0),
    );
  });

  it('come page by page', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e'])
      await send('mutation($r: ResourceInput!) { update(resource: $r) { versionId } }', {
        r: { resourceType: 'Basic', id, code: { text: id } },
      });
    const moment = (await send('{ history(type: Basic, first: 1) { versions { lastUpdated } } }')).found
      .history.versions[0].lastUpdated as string;
    await new Promise((resolve) => setTimeout(resolve, 3));
    await send(
      'mutation { b: delete(type: Basic, id: "b") { deleted } d: delete(type: Basic, id: "d") { deleted } }',
    );
    const query =
      'query($at: instant, $after: String) { search(type: Basic, query: "_sort=-_id", first: 2, after: $after, asOf: $at) { resources { id } pageInfo { endCursor } } }';
    const ids: string[] = [];
    let after: string | undefined;
    do {
      const { found, errors } = await send(query, { at: moment, after });
      expect(errors).toEqual([]);
      ids.push(...found.search.resources.map(({ id }: { id: string }) => id));
      after = found.search.pageInfo.endCursor as string | undefined;
      if (ids.length === 2) {
        // A cursor is of its moment.
        const other = await send(query, { after });
        expect([other.status, other.errors[0]?.extensions.code]).toEqual([400, 'value']);
      }
    } while (typeof after === 'string');
    expect(ids).toEqual(['e', 'd', 'c', 'b', 'a']);
  });

  it.each([
    ['what others say', 'type: Patient, query: "general-practitioner.name=x"'],
    ['what refers to them', 'type: Patient, query: "_has:Observation:patient:status=final"'],
    ['what a list says', 'type: Patient, query: "_list=42"'],
    ['what a page would bring along', 'type: Patient, query: "_include=Patient:organization"'],
    ['what is contained', 'type: Patient, query: "_contained=true"'],
    ['several types', 'query: "_type=Patient,Basic"'],
    ['the resources of the specification', 'type: ValueSet'],
  ])('do not support %s', async (_what, unsupported) => {
    const answer = await send(`{ search(${unsupported}, asOf: "2024-01-01T00:00:00Z") { total } }`);
    expect([answer.status, answer.errors[0]?.extensions.code]).toEqual([422, 'not-supported']);
  });
});
