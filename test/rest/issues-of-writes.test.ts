/** Faults of a resource that is stored nevertheless are reported, and never put into the resource. */
import { bundleOf, put } from '../support/bundles';
import { createSender, type SendQuery } from '../graphql/gateway-client';
import { type Answer, type SharedServer, openSharedServer } from '../support/shared-server';

let server: SharedServer;
let query: SendQuery;
beforeAll(async () => {
  server = await openSharedServer();
  query = createSender(server, 'system', 'r4');
});
afterAll(() => server.close());

const send = (method: string, rest: string, body?: unknown, headers = {}): Promise<Answer> =>
  server.request(method, `${server.path('system', 'r4')}${rest}`, body, headers);
const parameter = (id: string, code: string) => ({
  resourceType: 'SearchParameter',
  id,
  url: `http://example.org/SearchParameter/${id}`,
  name: 'Name',
  status: 'active',
  description: 'x',
  code,
  base: ['Patient'],
  type: 'token',
  expression: 'Patient.id',
});
const sound = { resourceType: 'Patient', id: 'sound' };
const WARNING = {
  severity: 'warning',
  code: 'not-supported',
  diagnostics: expect.stringContaining('it is stored, but searches do not use it'),
};

describe('A warning of a single write', () => {
  it.each(['minimal', 'representation', 'OperationOutcome'])(
    'is counted in X-Issues, for any preferred answer (%s)',
    async (wanted) => {
      const sent = parameter(`single-${wanted.toLowerCase()}`, '_id');
      const answer = await send('PUT', `/SearchParameter/${sent.id}`, sent, {
        prefer: `return=${wanted}`,
      });
      expect([answer.status, answer.headers['x-issues']]).toEqual([201, '1; warning']);
      if (wanted === 'OperationOutcome')
        expect(answer.json.issue).toContainEqual({ ...WARNING, expression: ['SearchParameter.code'] });
      const stored = await send('GET', `/SearchParameter/${sent.id}`);
      expect(stored.json).toEqual({ ...sent, meta: expect.anything() });
    },
  );

  it('is the only one that has such a header', async () => {
    const { headers } = await send('PUT', '/Patient/sound', sound);
    expect(headers['x-issues']).toBeUndefined();
  });
});

it.each(['batch', 'transaction'])('warnings of a %s are in the outcome of their entry', async (type) => {
  for (const prefer of ['return=minimal', 'return=representation', 'return=OperationOutcome']) {
    const bundle = bundleOf(type, put(sound), put(parameter(`in-${type}`, '_id')));
    const { status, json } = await send('POST', '', bundle, { prefer });
    expect(status).toBe(200);
    expect(json.entry[1].response.outcome.issue).toContainEqual(expect.objectContaining(WARNING));
    expect(json.entry[0].response.outcome?.issue ?? []).not.toContainEqual(expect.objectContaining(WARNING));
  }
});

describe('Warnings of mutations are in extensions.issues, with the field that they belong to,', () => {
  const r = parameter('by-graphql', '_id');
  it.each<[string, string, object, readonly (string | number)[]]>([
    ['of any type', 'mutation($r: ResourceInput!) { x: update(resource: $r) { versionId } }', { r }, ['x']],
    [
      'of one',
      'mutation($r: ResourceInput!) { SearchParameterUpdate(id: "by-graphql", res: $r) { resource { id } } }',
      { r },
      ['SearchParameterUpdate'],
    ],
    [
      'of one transaction',
      'mutation($r: ResourceInput!, $s: ResourceInput!) @atomic { a: update(resource: $s) { versionId } b: update(resource: $r) { versionId } }',
      { r, s: sound },
      ['b'],
    ],
    [
      'of a Bundle',
      'mutation($b: ResourceInput!) { transaction(bundle: $b) { resourceType } }',
      { b: bundleOf('transaction', put(sound), put(r)) },
      ['transaction', 'entry', 1],
    ],
  ])('%s', async (_title, text, variables, path) => {
    const { errors, json } = await query(text, variables);
    expect(errors).toEqual([]);
    expect(json.extensions).toEqual({ issues: [{ path, ...WARNING, expression: 'SearchParameter.code' }] });
  });

  it('and there are no extensions without warnings', async () => {
    const { json } = await query('mutation($r: ResourceInput!) { update(resource: $r) { versionId } }', {
      r: sound,
    });
    expect(json.extensions).toBeUndefined();
  });
});
