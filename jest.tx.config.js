const { projects } = require('./jest.config.js');

const services = projects.find(({ displayName }) => displayName === 'services');

/** `npm run test:tx`: HL7's terminology tests, read from the folder that the variable TX_TESTS names (CONTRIBUTING.md). */
module.exports = {
  testTimeout: 3_600_000,
  projects: [
    {
      ...services,
      displayName: 'tx',
      testMatch: ['<rootDir>/test/**/*.tx.ts'],
      testPathIgnorePatterns: ['/node_modules/'],
    },
  ],
};
