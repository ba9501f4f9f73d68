/** `npm run codegen`: types of the documents in src, made from the schema of the server. */
import type { CodegenConfig } from '@graphql-codegen/cli';

/** A file of this repository or of the package, or a server: http://localhost:3000/w/system/api/v1/graphql/r4/schema.graphql */
const schema = process.env.ANDIRON_SCHEMA ?? '../../schema/r4.graphql';

const config: CodegenConfig = {
  schema,
  documents: ['src/**/*.{ts,tsx}', '!src/gql/**'],
  generates: {
    './src/gql/': {
      preset: 'client',
      presetConfig: {
        fragmentMasking: false,
      },
      config: {
        // Without it all 1,100 types of FHIR are written, and this page uses five.
        onlyOperationTypes: true,
        documentMode: 'string',
        useTypeImports: true,
        enumsAsTypes: true,
        // Every scalar of the schema has its type here; another one is an error.
        strictScalars: true,
        scalars: {
          JSON: 'unknown',
          ParametersInput: 'object',
          ResourceInput: '{ resourceType: string } | { resourceType: string; [element: string]: unknown }',
          SafeInt: 'number',
          base64Binary: 'string',
          canonical: 'string',
          code: 'string',
          composite: 'string',
          date: 'string',
          dateTime: 'string',
          decimal: 'number',
          instant: 'string',
          markdown: 'string',
          number: 'string | number',
          oid: 'string',
          positiveInt: 'number',
          quantity: 'string | number',
          reference: 'string',
          special: 'string',
          time: 'string',
          token: 'string | boolean',
          unsignedInt: 'number',
          uri: 'string',
          url: 'string',
          uuid: 'string',
          xhtml: 'string',
        },
      },
    },
  },
  hooks: {
    // GraphQL takes a single value for a list; the generated inputs would take the list only.
    beforeOneFileWrite: (_path: string, text: string) =>
      text.replace(/^( +\w+\?: )Array<([^<>]+)>( \| null \| undefined;)$/gm, '$1Array<$2> | $2$3'),
  },
};

export default config;
