const shared = require('./jest.shared.js');

/** `npm run test:clients`: clients and tools that others have made, whose packages test/clients has for itself. */
module.exports = {
  ...shared,
  testTimeout: 300_000,
  maxWorkers: 2,
  globalSetup: '<rootDir>/test/clients/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testMatch: ['<rootDir>/test/clients/*.test.ts'],
  // What examples/front-end imports.
  modulePaths: ['<rootDir>/test/clients/node_modules'],
  // An ECMAScript module and nothing else; jest loads those only when they are compiled.
  transform: { ...shared.transform, '/node_modules/fhir-kit-client/.+\\.js$': '@swc/jest' },
  transformIgnorePatterns: ['/node_modules/(?!fhir-kit-client/)'],
  moduleNameMapper: {
    ...shared.moduleNameMapper,
    '^fhir-kit-client$': '<rootDir>/test/clients/node_modules/fhir-kit-client/dist/index.js',
  },
};
