const { projects } = require('./jest.config.js');

const services = projects.find(({ displayName }) => displayName === 'services');

/** `npm run test:citus`: what needs a cluster of Citus, which CITUS_URL names (CONTRIBUTING.md). */
module.exports = {
  testTimeout: 3_600_000,
  maxWorkers: 1,
  projects: [
    {
      ...services,
      displayName: 'citus',
      testMatch: ['<rootDir>/test/**/*.citus.ts'],
      testPathIgnorePatterns: ['/node_modules/'],
    },
  ],
};
