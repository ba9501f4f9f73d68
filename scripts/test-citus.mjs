/** `npm run test:citus [-- …]`: the tests that need Citus, where CITUS_URL names a coordinator (CONTRIBUTING.md). */
import { spawnSync } from 'node:child_process';

if (!process.env.CITUS_URL) {
  console.log('CITUS_URL is not set: nothing was tested');
  process.exit(0);
}
const words = ['--config', 'jest.citus.config.js', '--runInBand', ...process.argv.slice(2)];
if (!process.env.CITUS_KILL || !process.env.CITUS_START) {
  console.log('CITUS_KILL or CITUS_START is not set: no node is killed');
  words.push('--testPathIgnorePatterns', 'killed-nodes', '/node_modules/');
}
const { status } = spawnSync('npx', ['jest', ...words], { stdio: 'inherit' });
process.exit(status ?? 1);
