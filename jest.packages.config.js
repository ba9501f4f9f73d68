const shared = require('./jest.shared.js');

/** `npm run test:packages`: published packages, read from the folder that the variable PACKAGES names. */
module.exports = {
  ...shared,
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testMatch: ['<rootDir>/test/**/*.published.ts'],
  testTimeout: 600_000,
};
