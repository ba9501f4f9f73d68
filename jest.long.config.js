const os = require('node:os');
const shared = require('./jest.shared.js');

/** Tests by the clock, of memory, of throughput and of random moments within one: a file says so in its name. */
const timed = '\\.timed\\.long\\.ts$';

/** What `.ci/run` runs of them: a kill of each mechanism, an upgrade, the package, the quick start, 2,000 random requests. */
const landing = [
  ...['deploy/packed', 'deploy/production-tree', 'embedded/quickstart', 'embedded/readme'],
  ...['faults/administration-job-kill', 'faults/async-kill', 'faults/audit-kill', 'faults/erasure-kill'],
  ...['faults/content-kill', 'faults/export-kill', 'faults/import-kill'],
  'faults/import-terminology-kill',
  ...['faults/kill', 'faults/rolling-upgrade', 'faults/row-security', 'faults/subscription-kill'],
  'security/isolation',
];
const isLanding = `/test/(${landing.join('|')})\\.long\\.ts$`;

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
      displayName: 'landing',
      testMatch: landing.map((name) => `<rootDir>/test/${name}.long.ts`),
    },
    {
      ...shared,
      ...services,
      displayName: 'long',
      testMatch: ['<rootDir>/test/**/*.long.ts'],
      testPathIgnorePatterns: ['/node_modules/', timed, isLanding],
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
