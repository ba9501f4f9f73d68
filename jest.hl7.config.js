const shared = require('./jest.shared.js');

/** `npm run test:hl7`: HL7's public test cases, read from the folder that the variable HL7_CASES names. */
module.exports = {
  ...shared,
  testMatch: ['<rootDir>/test/**/*.hl7.ts'],
  testTimeout: 300_000,
};
