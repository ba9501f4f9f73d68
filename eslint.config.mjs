import { createRequire } from 'node:module';

// The linter is among the tools of scripts/checks, which are installed apart.
const require = createRequire(new URL('scripts/checks/package.json', import.meta.url));
const eslint = require('@eslint/js');
const tseslint = require('typescript-eslint');

/** The functions of jest that take a time limit as their last argument. */
const BEGINS_TEST = '/^(it|test|beforeAll|afterAll|beforeEach|afterEach)$/';

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'coverage/',
      'node_modules/',
      '**/node_modules/',
      'definitions/',
      'examples/*/dist/',
      'examples/*/src/gql/',
      'schema/',
      'bench/data/',
      'test/generated/',
      '**/__generated__/',
    ],
  },
  eslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      // Objects that are passed around consist of closures; methods of classes are never detached.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      'no-console': 'error',
      'max-lines': ['warn', { max: 400, skipBlankLines: true, skipComments: true }],
      eqeqeq: 'error',
    },
  },
  {
    // Decorators need the classes that they name at run time, so that type-only imports would lose metadata.
    files: ['src/resolvers/**/*.ts', 'src/gateway/**/*.ts', 'src/schema/**/*.ts'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off' },
  },
  {
    // Only the entry points and the command line use `process`. One file reads the processor time; the metrics of the process and its report
    // read the limit of its memory and its version of Node.js.
    files: ['src/**/*.ts'],
    ignores: [
      'src/main.ts',
      'src/cli.ts',
      'src/cli/**',
      'src/embedded/**',
      'src/workers/**',
      'src/core/fhir/processor-time.ts',
      'src/process-metrics.ts',
      'src/process-report.ts',
    ],
    rules: {
      'no-restricted-globals': [
        'error',
        {
          name: 'process',
          message:
            'process is allowed in entry points only (main.ts, cli.ts, cli/, embedded/, workers/); take the value as a parameter.',
        },
        { name: 'fetch', message: 'fetch is not allowed; send requests by core/outbound.' },
      ],
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'node:process',
              message:
                'process is allowed in entry points only (main.ts, cli.ts, cli/, embedded/, workers/); take the value as a parameter.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    // The arguments of a GraphQL field are parameters, each with its decorator.
    ignores: ['src/resolvers/**'],
    rules: { 'max-params': ['error', 4] },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // The answer of a server has no type; the expectation of the test checks it.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      'no-restricted-syntax': [
        'error',
        {
          selector: `CallExpression[callee.name=${BEGINS_TEST}] > Literal[value<300001]:last-child, CallExpression[callee.callee.object.name=${BEGINS_TEST}] > Literal[value<300001]:last-child`,
          message:
            'A shorter time limit fails on a slow machine; the configuration of jest has the one of the suite.',
        },
      ],
    },
  },
  {
    // Packages of their own, whose types are there only when they have been installed.
    files: ['examples/**'],
    extends: [tseslint.configs.disableTypeChecked],
  },
  {
    files: ['**/*.js', '**/*.cjs', '**/*.mjs', '**/*.jsx'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: {
      globals: {
        AbortSignal: 'readonly',
        Buffer: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
        performance: 'readonly',
        process: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        TextDecoder: 'readonly',
        TextEncoder: 'readonly',
        URL: 'readonly',
        document: 'readonly',
        window: 'readonly',
        module: 'writable',
        require: 'readonly',
        __dirname: 'readonly',
      },
    },
  },
);
