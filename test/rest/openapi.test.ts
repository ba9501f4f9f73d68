import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { RELEASE_NAMES } from '../../src/core';
import { forEachOf } from '../support/examples';
import { openSharedServer, type HttpServer } from '../support/shared-server';

const VALIDATOR = path.join(__dirname, '../support/validate-openapi.mjs');

type Item = Readonly<
  Record<
    string,
    { readonly parameters?: readonly { readonly $ref: string }[]; readonly operationId?: string }
  >
>;

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

describe.each(RELEASE_NAMES)('the OpenAPI document of %s', (release) => {
  let root: string;
  let document: {
    readonly openapi: string;
    readonly servers: readonly [{ readonly url: string }];
    readonly paths: Readonly<Record<string, Item>>;
    readonly components: { readonly parameters: Readonly<Record<string, { readonly name: string }>> };
  };

  beforeAll(async () => {
    root = server.path('system', release);
    const { status, headers, json } = await server.request('GET', `${root}/openapi.json`);
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    document = json;
  });

  it('is OpenAPI 3.1', () => {
    const { stdout } = spawnSync(process.execPath, [VALIDATOR], {
      input: JSON.stringify(document),
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toEqual({ valid: true, version: '3.1' });
  });

  it('names each operation once, and refers to nothing that it does not have', () => {
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).flatMap(({ operationId }) => operationId ?? []),
    );
    expect(new Set(ids).size).toBe(ids.length);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, place = '']) => place,
    );
    for (const reference of new Set(references)) {
      let place: unknown = document;
      for (const part of reference.split('/')) place = (place as Record<string, unknown>)[part];
      expect([reference, typeof place]).toEqual([reference, 'object']);
    }
  });

  it('leads to the server: the address of a type below its own', () => {
    const base = new URL(document.servers[0].url, `${server.base}${root}/openapi.json`);
    expect(base.href).toBe(`${server.base}${root}`);
  });

  it('has for each type the same as the CapabilityStatement', async () => {
    const { json: statement } = await server.request('GET', `${root}/metadata`);
    for (const { type, searchParam } of statement.rest[0].resource) {
      const names = document.paths[`/${type}`]?.['get']?.parameters?.map(
        ({ $ref }) => document.components.parameters[$ref.split('/').at(-1) ?? '']?.name,
      );
      for (const { name } of [...searchParam, { name: '_count' }, { name: '_sort' }])
        expect(names).toContain(name);
    }
    const codes = statement.rest[0].interaction.map(({ code }: { code: string }) => code);
    expect(document.paths['/']?.['post'] !== undefined).toBe(
      codes.includes('transaction') || codes.includes('batch'),
    );
  });

  it('has operations that change something only for POST', () => {
    expect(document.paths['/ValueSet/$expand']).toMatchObject({ get: {}, post: {} });
    expect(document.paths['/ValueSet/{id}/$expand']).toMatchObject({ get: {}, post: {} });
    expect(document.paths['/{type}/$validate'] ?? document.paths['/Patient/$validate']).toBeDefined();
  });

  it('is true: its addresses are served, and others are not', async () => {
    const fill = (template: string): string =>
      template
        .replace('{type}', 'Patient')
        .replace('{id}', 'none')
        .replace('{vid}', '1')
        .replace('{member}', 'Observation')
        .replace('{job}', 'none');
    const sampled = Object.entries(document.paths).filter(
      ([template]) => !/^\/(?!Patient)[A-Z]/.test(template),
    );
    const requests = sampled.flatMap(([template, item]) =>
      ['get', 'post', 'put', 'patch', 'delete'].map((method) => ({ template, item, method })),
    );
    await forEachOf(requests, 8, async ({ template, item, method }) => {
      const address = root + fill(template === '/' ? '' : template);
      const body = method === 'get' ? undefined : '';
      const { status, text } = await server.request(method.toUpperCase(), address, body);
      const isAnswered = status !== 405 && !(status === 422 && text.includes('"not-supported"'));
      expect([method, template, isAnswered]).toEqual([method, template, method in item]);
    });
  });

  it('is different for each tenant: a search parameter of its own is in its own document', async () => {
    const tenant = `own-${release}`;
    await server.createTenant(tenant);
    const own = server.path(tenant, release);
    const parameter = {
      ...{ resourceType: 'SearchParameter', url: 'http://example.org/SearchParameter/nickname', name: 'Nickname' },
      ...{ status: 'active', description: 'Nickname', code: 'nickname', base: ['Patient'], type: 'string' },
      expression: "Patient.name.where(use = 'nickname').given",
    };
    expect((await server.request('POST', `${own}/SearchParameter`, parameter)).status).toBe(201);
    const named = async (place: string): Promise<boolean> =>
      (await server.request('GET', `${place}/openapi.json`)).text.includes('nickname');
    while (!(await named(own))) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await named(root)).toBe(false);
  }); // prettier-ignore

  it('is 304 for a client that has it', async () => {
    const { headers } = await server.request('GET', `${root}/openapi.json`);
    const again = await server.request('GET', `${root}/openapi.json`, undefined, {
      'if-none-match': String(headers['etag']),
    });
    expect(again.status).toBe(304);
  });
});
