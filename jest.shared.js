/** What every jest configuration of this repository begins with. */
module.exports = {
  rootDir: __dirname,
  testEnvironment: 'node',
  transform: { '^.+\\.ts$': '@swc/jest', '/node_modules/jose/.+\\.js$': '@swc/jest' },
  // An ECMAScript module and nothing else; jest loads those only when they are compiled.
  transformIgnorePatterns: ['/node_modules/(?!jose/)'],
  moduleFileExtensions: ['ts', 'js', 'cjs', 'mjs', 'json', 'node'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
};
