const shared = require('./jest.shared.js');

/** `npm run test:browser`: pages that are built first, most of them driven in headless Chromium. */
module.exports = {
  ...shared,
  testMatch: ['<rootDir>/test/browser/**/*.browser.ts'],
  testTimeout: 300_000,
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};
