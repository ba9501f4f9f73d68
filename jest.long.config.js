const shared = require('./jest.shared.js');

/** `npm run test:long`: kills and faults, on a PostgreSQL that really syncs to disk. */
module.exports = {
  ...shared,
  testMatch: ['<rootDir>/test/**/*.long.ts'],
  testTimeout: 300_000,
  globalSetup: '<rootDir>/test/support/global-setup-durable.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};
