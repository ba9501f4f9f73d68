/**
 * Loads the program, as built by `npm run build`, by Node itself: once for all test files of a process. A source file
 * is replaced by its file in dist.
 */
const path = require('node:path');

const root = path.resolve(__dirname, '..', '..');

module.exports = {
  process(_text, file) {
    const compiled = path.join(root, 'dist', path.relative(root, file).replace(/\.ts$/, '.js'));
    // Setup and teardown of a run are outside the environment (one-realm.js): there `require` is Node's.
    const load = "(globalThis[Symbol.for('andiron.require')] ?? require)";
    return { code: `module.exports = ${load}(${JSON.stringify(compiled)});` };
  },
};
