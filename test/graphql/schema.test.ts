import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { assertEnumType, validateSchema } from 'graphql';
import { RELEASE_NAMES, releaseDefinitions } from '../../src/core';
import { loadDefinitions } from '../../src/core/fhir/definitions';
import { createPlugins } from '../../src/gateway/apollo';
import { createSchema } from '../../src/resolvers';

const root = path.resolve(__dirname, '../..');

describe.each(RELEASE_NAMES)('the schema of %s', (release) => {
  const schema = createSchema(releaseDefinitions(release));

  it('is valid', () => {
    expect(validateSchema(schema)).toEqual([]);
  });

  it('says what each field of the root is for', () => {
    for (const type of [schema.getQueryType(), schema.getMutationType()]) {
      for (const field of Object.values(type?.getFields() ?? {}))
        expect([field.name, field.description]).toEqual([field.name, expect.any(String)]);
    }
  });

  it('knows the resource types of its release and no others', () => {
    const type = assertEnumType(schema.getType('ResourceType'));
    expect(type.getValues().map(({ name }) => name)).toEqual(loadDefinitions(release).resourceTypes);
  });
});

it('the printed schemas are what the program serves', async () => {
  await promisify(execFile)(process.execPath, ['scripts/build-schema.mjs', '--check'], { cwd: root });
});

it('no plugin wraps resolvers, which would halve the speed of all fields', async () => {
  for (const plugin of createPlugins(new WeakMap())) {
    // Only what the hooks return matters, and they look at nothing before a request runs.
    const started = await plugin.requestDidStart?.(
      {} as Parameters<NonNullable<typeof plugin.requestDidStart>>[0],
    );
    const executing = await started?.executionDidStart?.(
      {} as Parameters<NonNullable<typeof started.executionDidStart>>[0],
    );
    expect(executing ?? {}).not.toHaveProperty('willResolveField');
  }
});
