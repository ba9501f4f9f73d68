import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { assertEnumType, buildSchema, validateSchema } from 'graphql';
import { type Core, RELEASE_NAMES, releaseDefinitions } from '../../src/core';
import { loadDefinitions } from '../../src/core/fhir/definitions';
import { createApollo } from '../../src/gateway/apollo';
import { PersistedDocuments } from '../../src/gateway/persisted-documents';
import { createSchema, type GatewayContext } from '../../src/resolvers';
import { DEFAULT_LIMITS } from '../../src/schema/limits';
import { silentLog } from '../support/log';

const root = path.resolve(__dirname, '../..');

describe.each(RELEASE_NAMES)('the schema of %s', (release) => {
  const schema = createSchema(releaseDefinitions(release));

  it('is valid', () => {
    expect(validateSchema(schema)).toEqual([]);
  });

  it('describes the purpose of each root field', () => {
    for (const type of [schema.getQueryType(), schema.getMutationType()]) {
      for (const field of Object.values(type?.getFields() ?? {}))
        expect([field.name, field.description]).toEqual([field.name, expect.any(String)]);
    }
  });

  it('has the resource types of its release and no others', () => {
    const type = assertEnumType(schema.getType('ResourceType'));
    expect(type.getValues().map(({ name }) => name)).toEqual(loadDefinitions(release).resourceTypes);
  });
});

it('the printed schemas equal those that the program serves', async () => {
  await promisify(execFile)(process.execPath, ['scripts/build-schema.mjs', '--check'], { cwd: root });
});

describe('a plugin that wraps resolvers, which would halve the speed of all fields', () => {
  /** True when a request has had all resolvers of the schema wrapped, as Apollo Server does for `willResolveField`. */
  async function wraps(documents: Parameters<typeof createApollo>[0]['documents']): Promise<boolean> {
    const schema = buildSchema('type Query { a: String }');
    const execution = { cost: 100, snapshotMs: 0, introspection: true };
    const apollo = await createApollo({
      schema,
      limits: DEFAULT_LIMITS,
      execution,
      introspect: async () => ({}),
      documents,
      log: silentLog,
      observeError: () => undefined,
    });
    const contextValue = {
      request: { requestId: 'x', log: silentLog, space: {} },
      answer: { characters: 0 },
    } as unknown as GatewayContext;
    await apollo.executeOperation({ query: '{ a }' }, { contextValue });
    await apollo.stop();
    return Object.getOwnPropertySymbols(schema).some(
      (symbol) => symbol.description === 'apolloServerPluginsEnabled',
    );
  }

  it('is none of those that are installed', async () => {
    const documents = new PersistedDocuments({} as Core, { documents: new Map(), only: false });
    expect(await wraps(documents.plugin)).toBe(false);
  });

  it('would be detected', async () => {
    expect(
      await wraps({
        requestDidStart: async () => ({
          executionDidStart: async () => ({ willResolveField: () => undefined }),
        }),
      }),
    ).toBe(true);
  });
});
