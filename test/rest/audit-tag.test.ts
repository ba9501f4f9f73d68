/** AuditEvents that the server has recorded are told apart from those of clients by a tag (docs/run/audit.md). */
import { createClient } from '../support/access';
import type { Answer } from '../support/http';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

const SYSTEM = 'https://andiron.example/fhir/CodeSystem/audit-event-origin';
const TAG = { system: SYSTEM, code: 'server' };
const OTHER_TAG = { system: 'http://example.org/tags', code: 'server' };
const LINES = { 'content-type': 'application/x-ndjson' };

const eventOf = (altId: string, tag?: object) => ({
  resourceType: 'AuditEvent',
  ...(tag === undefined ? {} : { meta: { tag: [OTHER_TAG, tag] } }),
  type: { system: 'http://terminology.hl7.org/CodeSystem/audit-event-type', code: 'rest' },
  recorded: '2026-11-28T09:00:00Z',
  agent: [{ altId, requestor: true }],
  source: { observer: { display: 'Ward app' } },
});
const parametersOf = (...parameter: readonly object[]) => ({ resourceType: 'Parameters', parameter });
const refusal = {
  issue: [
    expect.objectContaining({
      diagnostics: expect.stringContaining(`Tags of the system '${SYSTEM}' mark`),
      expression: ['AuditEvent.meta.tag[1]'],
    }),
  ],
};

/** A tenant of a server, and a client that writes and reads AuditEvents; without one, everybody does. */
class Ward {
  constructor(
    private readonly server: SharedServer,
    private readonly root: string,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  static async make(server: SharedServer, tenant: string, release: 'r4' | 'r4b'): Promise<Ward> {
    await server.createTenant(tenant);
    const { basic } = await createClient(server, tenant, { scopes: ['system/*.cruds'], auditor: true });
    return new Ward(server, server.path(tenant, release), { authorization: basic });
  }

  send(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.server.request(method, `${this.root}/${path}`, body, this.headers);
  }

  graphql(query: string, variables: object): Promise<Answer> {
    const address = this.root.replace('/fhir/', '/graphql/');
    const headers = { ...this.headers, 'content-type': 'application/json' };
    return this.server.request('POST', address, { query, variables }, headers);
  }

  /** The `altId` of the first agent of each event that a search finds. */
  async found(query: string): Promise<readonly string[]> {
    const { json, text } = await this.send('GET', `AuditEvent?_count=200&${query}`);
    if (json.resourceType !== 'Bundle') throw new Error(text);
    const { entry = [] } = json as { entry?: { resource: { agent: [{ altId: string }] } }[] };
    return entry.map(({ resource }) => resource.agent[0].altId);
  }
}

describe.each(TESTED_RELEASES)('in %s', (release) => {
  let server: SharedServer;
  let ward: Ward;
  beforeAll(async () => {
    server = await openSharedServer('audited');
    ward = await Ward.make(server, `ward-${release}`, release);
  });
  afterAll(() => server.close());

  it('auditors find what the server has recorded, and what clients have written, by the tag', async () => {
    const { status, json } = await ward.send('POST', 'AuditEvent', eventOf('mine', { code: 'server' }));
    expect(status).toBe(201);
    const ofServer = await ward.found(`_tag=${SYSTEM}|server`);
    expect(ofServer.length).toBeGreaterThan(0);
    expect(ofServer).not.toContain('mine');
    expect(await ward.found(`_tag:not=${SYSTEM}|server`)).toEqual(['mine']);
    const { json: recorded } = await ward.send('GET', `AuditEvent?_tag=${SYSTEM}|server&_count=1`);
    const [{ resource }] = recorded.entry as [{ resource: Record<string, unknown> }];
    expect(resource['meta']).toMatchObject({ tag: [TAG] });
    const valid = await ward.send('POST', 'AuditEvent/$validate', resource);
    expect([valid.status, valid.text]).toEqual([200, expect.not.stringContaining('"error"')]);
    expect((await ward.send('GET', `AuditEvent/${json.id}`)).text).not.toContain(SYSTEM);
  });

  it('no client writes it, by no way in which AuditEvents are recorded', async () => {
    const forged = eventOf('forged', TAG);
    for (const [method, path] of [
      ['POST', 'AuditEvent'],
      ['PUT', 'AuditEvent/forged'],
    ] as const) {
      const sent = path === 'AuditEvent' ? forged : { ...forged, id: 'forged' };
      const { status, json } = await ward.send(method, path, sent);
      expect([path, status, json]).toEqual([path, 422, expect.objectContaining(refusal)]);
    }
    const otherCode = eventOf('forged', { ...TAG, code: 'Server', display: 'x' });
    expect((await ward.send('POST', 'AuditEvent', otherCode)).status).toBe(422);
    const batch = {
      resourceType: 'Bundle',
      type: 'batch',
      entry: [
        { request: { method: 'POST', url: 'AuditEvent' }, resource: forged },
        { request: { method: 'PUT', url: 'AuditEvent/forged' }, resource: { ...forged, id: 'forged' } },
      ],
    };
    const { json } = await ward.send('POST', '', batch);
    const results = (json.entry as { response: { status: string; outcome: object } }[]).map(
      ({ response: { status, outcome } }) => [status.slice(0, 3), JSON.stringify(outcome)],
    );
    expect(results).toEqual(
      [0, 1].map((entry) => ['422', expect.stringContaining(`Bundle.entry[${entry}].resource.meta.tag[1]`)]),
    );
    const mutation = 'mutation ($res: ResourceInput!) { AuditEventCreate(res: $res) { location } }';
    const created = await ward.graphql(mutation, { res: forged });
    expect(created.text).toContain('Tags of the system');
    const input = parametersOf({ name: 'resource', resource: forged }, { name: 'mode', valueCode: 'create' });
    expect((await ward.send('POST', 'AuditEvent/$validate', input)).text).toContain('Tags of the system');
    expect(await ward.found('altid=forged')).toEqual([]);
  });

  it('a tenant that is exported and imported keeps it, and an export cannot give it to the event of a client', async () => {
    await ward.send('POST', 'AuditEvent', eventOf('kept'));
    const { text } = await server.administer('GET', `/tenants/${server.tenant(`ward-${release}`)}/export`);
    const copy = server.tenant(`copy-${release}`);
    const imported = await server.administer('POST', `/tenants/${copy}/import`, text, LINES);
    expect([imported.status, imported.text]).toEqual([201, expect.anything()]);
    const again = await server.administer('GET', `/tenants/${copy}/export`);
    const tagged = (lines: string) => lines.split('\n').filter((line) => line.includes(SYSTEM)).length;
    expect(tagged(text)).toBeGreaterThan(0);
    expect(tagged(again.text)).toBeGreaterThanOrEqual(tagged(text));
    const lines = text.split('\n');
    const at = lines.findIndex((line) => line.includes('"altId":"kept"'));
    const line = JSON.parse(lines[at] ?? '') as { resource: object };
    const forged = { ...line, resource: { ...line.resource, meta: { tag: [TAG] } } };
    const refused = await server.administer(
      'POST',
      `/tenants/${server.tenant(`forged-${release}`)}/import`,
      lines.with(at, JSON.stringify(forged)).join('\n'),
      LINES,
    );
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining(`Line ${at + 1} of the export: the AuditEvent of a client has the tag`),
    ]);
  });
});

it('no client writes it where nothing is recorded and AuditEvents are ordinary resources', async () => {
  const server = await openSharedServer();
  const ward = new Ward(server, server.path('system', 'r4'));
  const plain = { ...eventOf('plain', { code: 'first' }), id: 'plain' };
  expect((await ward.send('PUT', 'AuditEvent/plain', plain)).status).toBe(201);
  const forged = { ...eventOf('plain', TAG), id: 'plain' };
  const added = { name: 'value', valueCoding: TAG };
  const transaction = (request: object, resource: object) => ({
    ...{ resourceType: 'Bundle', type: 'transaction' },
    entry: [{ request, resource }],
  });
  const patch = [{ op: 'add', path: '/meta/tag/1', value: TAG }];
  const ways: readonly (readonly [string, string, unknown])[] = [
    ['PUT', 'AuditEvent/plain', forged],
    ['PUT', 'AuditEvent?_id=plain', forged],
    ['PATCH', 'AuditEvent/plain', patch],
    [
      'PATCH',
      'AuditEvent/plain',
      parametersOf({
        name: 'operation',
        part: [
          { name: 'type', valueCode: 'insert' },
          { name: 'path', valueString: 'AuditEvent.meta.tag' },
          { name: 'index', valueInteger: 1 },
          added,
        ],
      }),
    ],
    ['POST', 'AuditEvent/plain/$meta-add', parametersOf({ name: 'meta', valueMeta: { tag: [TAG] } })],
    ['POST', '', transaction({ method: 'POST', url: 'AuditEvent' }, eventOf('plain', TAG))],
    ['POST', '', transaction({ method: 'PUT', url: 'AuditEvent/plain' }, forged)],
  ];
  for (const [method, path, body] of ways) {
    const { status, text } = await ward.send(method, path, body);
    expect([method, path, status, text]).toEqual([
      ...[method, path, 422],
      expect.stringContaining('Tags of the system'),
    ]);
  }
  const changed = await ward.graphql(
    'mutation ($patch: [JsonPatchOperation!]) { AuditEventPatch(id: "plain", patch: $patch) { resource { id } } }',
    { patch },
  );
  expect(changed.text).toContain('Tags of the system');
  const { json } = await ward.send('GET', 'AuditEvent');
  expect([json.total, JSON.stringify(json).includes(SYSTEM)]).toEqual([1, false]);
  await server.close();
});
