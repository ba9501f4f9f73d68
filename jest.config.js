const os = require('node:os');
const shared = require('./jest.shared.js');

/** Tests of pure code: they need no database, so that they run in a moment. */
const pure = [
  '<rootDir>/test/*.test.ts',
  '<rootDir>/test/core/*.test.ts',
  '<rootDir>/test/{cli,code-systems,console,deploy,schema,core/fhir,core/search,core/operations,core/fhir-subscriptions}/**/*.test.ts',
  '<rootDir>/test/properties/oracle/*.test.ts',
];

const services = {
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

/** `npm test`: pure tests, and all others against a real PostgreSQL and a real Redis. */
module.exports = {
  reporters: ['default', '<rootDir>/test/support/cost/reporter.js'],
  // A hang fails; a slow machine does not.
  testTimeout: 300_000,
  // Each worker keeps a processor busy, and its PostgreSQL a part of another; the services are made for four of them.
  maxWorkers: Math.min(4, os.availableParallelism()),
  // What test files leave in memory adds up: at 4 GB everything takes twice as long. A worker that is too large is
  // replaced after its file.
  workerIdleMemoryLimit: '1500MB',
  projects: [
    { ...shared, displayName: 'pure', testMatch: pure, testPathIgnorePatterns: ['/node_modules/'] },
    {
      ...shared,
      ...services,
      displayName: 'services',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: [
        '/node_modules/',
        '<rootDir>/test/[^/]+\\.test\\.ts$',
        '<rootDir>/test/core/[^/]+\\.test\\.ts$',
        '<rootDir>/test/(cli|clients|code-systems|console|deploy|schema|core/fhir|core/search|core/operations|core/fhir-subscriptions|properties/oracle)/',
      ],
    },
  ],
};
