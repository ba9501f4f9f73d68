const shared = require('./jest.shared.js');

const syntax = {
  parser: { syntax: 'typescript', tsx: true },
  transform: { react: { runtime: 'automatic' } },
};
const swc = ['@swc/jest', { jsc: { ...syntax, target: 'es2022' } }];

/** `npm run test:components`: components of the console in a document without a browser. */
module.exports = {
  ...shared,
  // Each file has a document of its own.
  testEnvironment: 'node',
  // Jest's own destroys the document before it is closed.
  testEnvironmentOptions: { globalsCleanup: 'off' },
  globalSetup: '<rootDir>/test/components/global-setup.ts',
  setupFiles: ['<rootDir>/test/components/document.js'],
  testMatch: ['<rootDir>/test/components/*.test.tsx'],
  testTimeout: 60_000,
  // React is in the node_modules of the root, what only these tests need in the folder.
  modulePaths: ['<rootDir>/test/components/node_modules'],
  transform: { '^.+\\.tsx?$': swc, '/node_modules/oauth4webapi/.+\\.js$': swc },
  // An ECMAScript module and nothing else.
  transformIgnorePatterns: ['/node_modules/(?!oauth4webapi/)'],
  moduleNameMapper: { ...shared.moduleNameMapper, '\\.(css|svg)$': '<rootDir>/test/components/style.ts' },
  moduleFileExtensions: ['tsx', ...shared.moduleFileExtensions],
};
