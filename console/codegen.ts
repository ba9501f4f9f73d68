/** `npm run codegen`: types of the GraphQL documents in src, made from the schema of the server. */
import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: 'schema/r4.graphql',
  documents: ['console/src/**/*.{ts,tsx}', '!console/src/__generated__/**'],
  generates: {
    'console/src/__generated__/graphql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: 'string',
        useTypeImports: true,
        enumsAsTypes: true,
        defaultScalarType: 'string',
        scalars: { JSON: 'unknown', ResourceInput: 'unknown', ParametersInput: 'unknown' },
      },
    },
  },
};

export default config;
