const { execFileSync } = require('node:child_process');

// The tests load the program as it is built (test/support/load-compiled.js). Those of pages build these themselves.
execFileSync(process.execPath, ['scripts/build.mjs', '--if-stale'], { cwd: __dirname });

// Jest puts no folder in place of <rootDir> in this pattern.
const root = __dirname.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');

/** What every jest configuration of this repository begins with. */
module.exports = {
  rootDir: __dirname,
  testEnvironment: '<rootDir>/test/support/one-realm.js',
  transform: {
    [`^${root}/(src|migrations|packages)/.+\\.ts$`]: '<rootDir>/test/support/load-compiled.js',
    '^.+\\.ts$': '@swc/jest',
  },
  transformIgnorePatterns: ['/node_modules/'],
  // The tests and the program must have one and the same copy of these.
  moduleNameMapper: { '^(graphql|pg)$': '<rootDir>/test/support/packages/$1.js' },
  moduleFileExtensions: ['ts', 'js', 'cjs', 'mjs', 'json', 'node'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
};
