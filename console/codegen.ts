/** `npm run build:types`: types of the GraphQL documents in src, made from the schema of the server. */
export default {
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
