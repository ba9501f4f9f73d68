const os = require('node:os');
const shared = require('./jest.shared.js');

/** Tests by the clock, of memory, of throughput and of random moments within one: a file says so in its name. */
const timed = '\\.timed\\.long\\.ts$';

const services = {
  globalSetup: '<rootDir>/test/support/global-setup-durable.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

/**
 * `npm run test:long`: kills and faults, on a PostgreSQL that really syncs to disk. They wait more than they work, so that
 * two take their turns; last, one at a time, those that measure.
 */
module.exports = {
  testTimeout: 300_000,
  maxWorkers: Math.min(2, os.availableParallelism()),
  projects: [
    {
      ...shared,
      ...services,
      displayName: 'long',
      testMatch: ['<rootDir>/test/**/*.long.ts'],
      testPathIgnorePatterns: ['/node_modules/', timed],
    },
    {
      ...shared,
      ...services,
      displayName: 'timed',
      testMatch: ['<rootDir>/test/**/*.timed.long.ts'],
      runner: '<rootDir>/test/support/one-at-a-time.js',
    },
  ],
};
