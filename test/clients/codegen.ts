/**
 * `npm run build:types`: types of the GraphQL documents of the console and of the tests, by the settings that the docs print for
 * front ends.
 */
import type { CodegenConfig } from '@graphql-codegen/cli';
import settings from '../../examples/front-end/codegen';

const { config: shared, ...client } = settings.generates['src/gql/'];

export default {
  schema: 'schema/r4.graphql',
  generates: {
    'console/src/__generated__/graphql/': {
      ...client,
      documents: ['console/src/**/*.{ts,tsx}', '!console/src/__generated__/**'],
      config: { ...shared, documentMode: 'string', enumsAsTypes: true },
    },
    'test/generated/graphql.ts': {
      documents: 'test/graphql/documents/*.graphql',
      plugins: ['typescript-operations'],
      config: { ...shared, enumType: 'string-literal' },
    },
  },
  hooks: settings.hooks,
} satisfies CodegenConfig;
