import { PassThrough } from 'node:stream';
import { RELEASE_NAMES } from '../../src/core';
import { loadExamples } from '../../src/embedded/examples';
import { openCore } from '../support/core';
import { readDemo, readExamples } from '../support/examples';
import { silentLog } from '../support/log';

it('the quick start stores all official examples, also those with errors, and the demo in both releases', async () => {
  const opened = await openCore();
  const output = Object.assign(new PassThrough().resume(), { isTTY: false as const });
  const all = RELEASE_NAMES.reduce(
    (sum, release) => sum + readExamples(release).length + readDemo().length,
    0,
  );
  try {
    expect(await loadExamples(opened.core, 'system', silentLog, { output })).toEqual({
      stored: all,
      subscriptionsOff: RELEASE_NAMES.length,
    });
    for (const release of RELEASE_NAMES) {
      const context = await opened.context('system', release);
      const { matches } = await opened.core.interactions.search(context, {
        type: 'Subscription',
        parameters: [],
      });
      const statuses = matches.map(({ text }) => JSON.parse(text).status);
      expect(statuses.sort()).toEqual(['error', 'off']);
    }
  } finally {
    await opened.close();
  }
});
