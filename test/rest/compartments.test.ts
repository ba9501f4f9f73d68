/**
 * Compartments: https://hl7.org/fhir/R4/compartmentdefinition.html, https://hl7.org/fhir/R4/http.html#vsearch, on the
 * examples that HL7 publishes.
 */
import type { Searchset } from '../support/bundles';
import { forEachOf } from '../support/examples';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { readRightExamples } from '../support/wrong-examples';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('other');
});
afterAll(() => server.close());

/** The owners that most examples refer to. */
const OWNERS = [
  'Patient/example',
  'Encounter/example',
  'Practitioner/example',
  'Device/example',
  'RelatedPerson/peter',
];

describe.each(TESTED_RELEASES)('under %s', (release) => {
  beforeAll(async () => {
    const mentions = new RegExp(`"(?:${OWNERS.join('|')})"`);
    const examples = readRightExamples(release).filter(
      ({ text, type, id }) => mentions.test(text) || OWNERS.includes(`${type}/${id}`),
    );
    expect(examples.length).toBeGreaterThan(150);
    await forEachOf(examples, 8, async ({ type, id, text }) => {
      const answer = await server.request('PUT', `${server.path('system', release)}/${type}/${id}`, text);
      if (answer.status !== 201) throw new Error(`${type}/${id}: ${answer.text}`);
    });
    for (const type of ['Patient', 'Observation']) {
      const [{ text }] = examples.filter(
        (example) => example.type === type && (type !== 'Patient' || example.id === 'example'),
      ) as [(typeof examples)[number]];
      const resource = { ...JSON.parse(text), id: type === 'Patient' ? 'example' : 'theirs' };
      const path = `${server.path('other', release)}/${type}/${resource.id}`;
      const answer = await server.request('PUT', path, resource);
      if (answer.status !== 201) throw new Error(answer.text);
    }
  });

  const get = (address: string, tenant = 'system') =>
    server.request('GET', `${server.path(tenant, release)}/${address}`);

  function namesOf({ entry = [] }: Searchset, mode = 'match'): string[] {
    return entry
      .filter(({ search }) => search.mode === mode)
      .map(({ resource }) => `${resource.resourceType}/${resource.id}`)
      .sort();
  }

  async function find(address: string, tenant = 'system'): Promise<string[]> {
    const { status, json, text } = await get(address, tenant);
    if (status !== 200) throw new Error(`${address}: ${status} ${text}`);
    return namesOf(json as Searchset);
  }

  const linkOf = ({ link }: Searchset, wanted: string) =>
    link.find(({ relation }) => relation === wanted)?.url;

  it.each(OWNERS)(
    'the compartment of %s has the resources that refer to it by the parameters of the CompartmentDefinition',
    async (owner) => {
      const [type = '', id = ''] = owner.split('/');
      const [definition] = (await get(`CompartmentDefinition?code=${type}`)).json.entry as {
        resource: { resource: { code: string; param?: string[] }[] };
      }[];
      const all = new Set([owner]);
      let types = 0;
      for (const { code, param = [] } of definition?.resource.resource ?? []) {
        const expected = new Set(code === type ? [owner] : []);
        for (const parameter of param.filter((name) => name !== '{def}'))
          for (const name of await find(`${code}?${parameter}=${owner}&_count=1000`)) expected.add(name);
        const address = `${owner}/${code}?_count=1000`;
        if (param.length === 0 && code !== type) {
          const { status, json } = await get(address);
          expect([address, status]).toEqual([address, 400]);
          expect(json.issue[0].diagnostics).toBe(
            `The type ${code} is not part of the compartment of ${type}`,
          );
          continue;
        }
        expect([address, await find(address)]).toEqual([address, [...expected].sort()]);
        for (const name of expected) all.add(name);
        if (expected.size > 0) types++;
      }
      expect(types).toBeGreaterThan(2);
      expect(all.size).toBeGreaterThan(3);
      expect(id).not.toBe('');
      expect(await find(`${owner}/*?_count=1000`)).toEqual([...all].sort());
    },
  );

  it('further parameters narrow it, and links keep the address', async () => {
    const root = server.root('system', release);
    const { json } = await get('Patient/example/Observation?status=final&_count=1&_sort=-date');
    expect(linkOf(json, 'self')).toBe(
      `${root}/Patient/example/Observation?status=final&_count=1&_sort=-date`,
    );
    const next = linkOf(json, 'next') ?? '';
    expect(next.startsWith(`${root}/Patient/example/Observation?status=final`)).toBe(true);
    const names = namesOf(json);
    for (let address: string | undefined = next; address !== undefined;) {
      const page = await server.request('GET', address.slice(server.base.length));
      names.push(...namesOf(page.json));
      address = linkOf(page.json, 'next');
    }
    const expected = await find('Observation?patient=example&status=final&_count=1000');
    const performed = await find('Observation?performer=Patient/example&status=final&_count=1000');
    expect([...names].sort()).toEqual([...new Set([...expected, ...performed])].sort());
    // The same cursor is worth nothing in another compartment, or in none.
    const query = next.slice(next.indexOf('?'));
    for (const place of ['Patient/other/Observation', 'Encounter/example/Observation', 'Observation'])
      expect((await get(place + query)).status).toBe(400);
  });

  it('all types of a compartment are searched together, or some of them', async () => {
    const { json } = await get('Patient/example/*?_count=5');
    expect(linkOf(json, 'self')).toBe(`${server.root('system', release)}/Patient/example/*?_count=5`);
    expect(linkOf(json, 'next')).toContain('/Patient/example/*?_count=5&_cursor=');
    expect((await get('Patient/example/*?_count=0')).json.total).toBeGreaterThan(50);
    const both = await find('Patient/example/*?_type=Condition,Goal&_count=1000');
    const each = await Promise.all(['Condition', 'Goal'].map((type) => find(`Patient/example/${type}`)));
    expect(both).toEqual(each.flat().sort());
    expect(await find('Patient/example/*?_type=Patient')).toEqual(['Patient/example']);
    expect((await get('Patient/example/*?_type=Condition,Organization')).status).toBe(400);
    expect((await get('Patient/example/*?status=final')).status).toBe(400);
  });

  it('matches include the resources they refer to', async () => {
    const { json } = await get('Encounter/example/Observation?_include=Observation:patient');
    expect(namesOf(json).length).toBeGreaterThan(0);
    expect(namesOf(json, 'include')).toEqual(['Patient/example']);
  });

  it('a form does the same', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const path = `${server.path('system', release)}/Patient/example`;
    const one = await server.request('POST', `${path}/Observation/_search?_count=1000`, 'status=final', form);
    expect(namesOf(one.json)).toEqual(await find('Patient/example/Observation?status=final&_count=1000'));
    expect(linkOf(one.json, 'self')).toBe(
      `${server.root('system', release)}/Patient/example/Observation?_count=1000&status=final`,
    );
    const all = await server.request('POST', `${path}/_search`, '_type=Goal,Condition&_count=1000', form);
    expect(namesOf(all.json)).toEqual(await find('Patient/example/*?_type=Condition,Goal&_count=1000'));
    expect(linkOf(all.json, 'self')).toContain('/Patient/example/*?');
    const star = await server.request('POST', `${path}/*/_search`, '_type=Goal,Condition&_count=1000', form);
    expect(namesOf(star.json)).toEqual(namesOf(all.json));
  });

  it('a compartment of a missing resource is empty, like the search by parameter', async () => {
    expect(await find('Patient/nobody/Observation')).toEqual([]);
    expect(await find('Patient/nobody/*')).toEqual([]);
  });

  it.each([
    ['Organization/example/Patient', 404, 'A compartment of Organization does not exist'],
    ['Organization/example/*', 404, 'A compartment of Organization does not exist'],
    ['Patient/example/Nobody', 404, "'Nobody' is not a resource type"],
    ['Patient/example/Resource', 404, "'Resource' is not a resource type"],
    ['Nobody/example/Patient', 404, "'Nobody' is not a resource type"],
    ['Patient/a%20b/Observation', 400, 'is not a valid id'],
    ['Patient/example/Observation?nobody=1', 400, "'nobody' is not a search parameter"],
    ['Patient/example/Observation?_type=Observation', 400, "'_type' is not a search parameter"],
  ])('%s is %d', async (address, expected, message) => {
    const { status, json } = await get(address);
    expect([address, status]).toEqual([address, expected]);
    expect(json.issue[0].diagnostics).toContain(message);
  });

  it('other methods are 405', async () => {
    const path = server.path('system', release);
    const put = await server.request('PUT', `${path}/Patient/example/Observation`, {});
    expect([put.status, put.headers.allow]).toEqual([405, 'GET, HEAD']);
    const search = await server.request('GET', `${path}/Patient/example/Observation/_search`);
    expect([search.status, search.headers.allow]).toEqual([405, 'POST']);
  });

  it("another tenant's resources are in no compartment here", async () => {
    expect(await find('Patient/example/*', 'other')).toContain('Patient/example');
    expect(await find('Patient/example/*?_count=1000')).not.toContain('Observation/theirs');
    expect(await find('Patient/example/Condition', 'other')).toEqual([]);
  });
});
