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
        // FHIR's primitives in JSON (https://hl7.org/fhir/R4/json.html#primitive): most are strings.
        defaultScalarType: 'string',
        scalars: {
          decimal: 'number',
          positiveInt: 'number',
          unsignedInt: 'number',
          JSON: 'unknown',
          ResourceInput: 'unknown',
          ParametersInput: 'unknown',
        },
      },
    },
  },
};

export default config;
