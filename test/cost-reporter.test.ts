/** The reporter of costs runs for whole runs alone, so that a fault in it would be seen by the gate alone. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const SUPPORT = path.join(__dirname, 'support', 'cost');

/** A whole run of two files, as the reporter and a worker see it. */
const RUN = `
const Reporter = require(${JSON.stringify(path.join(SUPPORT, 'reporter.js'))});
const { beginRecord } = require(${JSON.stringify(path.join(SUPPORT, 'file-record.js'))});
const reporter = new Reporter({ maxWorkers: 2, rootDir: '/tests' });
reporter.onRunStart({ numTotalTestSuites: 100 });
for (const file of ['/tests/one.test.ts', '/tests/two.test.ts']) {
  const endRecord = beginRecord(file);
  endRecord();
  reporter.onTestFileResult();
}
reporter.onRunComplete();
`;

it('a whole run tells how long it takes, and the costs of its files', async () => {
  const { ANDIRON_TEST_COSTS: _output, ...environment } = process.env;
  const { stderr } = await promisify(execFile)(process.execPath, ['-e', RUN], { env: environment });
  expect(stderr).toMatch(/^100 files of tests: about \d+ minutes? on this machine/);
  expect(stderr).toMatch(/ {2}one\.test\.ts\n/);
  expect(stderr).toMatch(/ {2}all 2 files\n/);
  expect(stderr).toMatch(/In all \d+ processor seconds in 0:\d\d min/);
});
