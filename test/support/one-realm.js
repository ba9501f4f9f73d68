/**
 * The environment of all tests: they run in the realm of their process, where the program is loaded once, compiled, and
 * is warm for every file after the first (load-compiled.js). Jest's own gives each file a realm of its own, in which the
 * program, with all that it uses, is loaded and compiled anew.
 */
const vm = require('node:vm');
const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { beginRecord } = require('./cost/file-record');

/** The context that jest gets; only its identity is used. */
const THIS_REALM = Object.freeze({});
const { compileFunction } = vm;
const { exit, getBuiltinModule } = process;

/**
 * State of the run of a file that jest stores in the global object: its state, its handlers of events, the state of
 * `expect`.
 */
const STATE_OF_JEST = /^(?:JEST_STATE_SYMBOL|EVENT_HANDLERS|RETRY_|TEST_TIMEOUT_SYMBOL|\$\$jest-)/;

function forgetStateOfJest() {
  for (const symbol of Object.getOwnPropertySymbols(globalThis))
    if (STATE_OF_JEST.test(symbol.description ?? '')) delete globalThis[symbol];
}

/** `require` of Node, where jest has put its own in its place. */
globalThis[Symbol.for('andiron.require')] = require;

// Without a parsing context, a function is compiled in the realm of the caller.
vm.compileFunction = (code, parameters, options) => {
  if (options?.parsingContext !== THIS_REALM) return compileFunction(code, parameters, options);
  return compileFunction(code, parameters, { ...options, parsingContext: undefined });
};

if (process.env.ANDIRON_STATEMENTS !== undefined) require('./record-statements.cjs');

module.exports = class OneRealm {
  #endRecord;

  constructor({ projectConfig }, { testPath }) {
    this.#endRecord = beginRecord(testPath);
    this.global = globalThis;
    this.console = console;
    this.moduleMocker = new ModuleMocker(globalThis);
    const timers = { config: projectConfig, global: globalThis };
    this.fakeTimersModern = new ModernFakeTimers(timers);
    this.fakeTimers = new LegacyFakeTimers({
      ...timers,
      moduleMocker: this.moduleMocker,
      timerConfig: { idToRef: (id) => id, refToId: (timer) => timer },
    });
  }

  async setup() {
    process.getBuiltinModule = getBuiltinModule;
  }

  /** Gives the next file the process as this one found it. */
  async teardown() {
    this.fakeTimers.dispose();
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    globalThis.console = this.console;
    forgetStateOfJest();
    process.exit = exit;
    this.#endRecord();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return THIS_REALM;
  }
};
