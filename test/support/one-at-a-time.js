const { default: TestRunner } = require('jest-runner');

/**
 * Runs test files one after the other, in one worker, while nothing else of the run is at work: jest gives each kind of
 * runner its files when the one before has ended. For files that measure (`*.timed.long.ts`).
 */
module.exports = class OneAtATime extends TestRunner {
  constructor(globalConfig, context) {
    super({ ...globalConfig, maxWorkers: 1 }, context);
  }
};
