const { projects } = require('./jest.config.js');

const services = projects.find(({ displayName }) => displayName === 'services');

/** Proofs that `npm test` has once, again and at length (`npm run test:nightly`, scripts/nightly.mjs). */
module.exports = {
  testTimeout: 600_000,
  projects: [
    {
      ...services,
      displayName: 'nightly',
      testMatch: ['<rootDir>/test/**/*.nightly.ts'],
      testPathIgnorePatterns: ['/node_modules/'],
    },
  ],
};
