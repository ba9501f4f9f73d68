import { PassThrough } from 'node:stream';
import { RELEASE_NAMES } from '../../src/core';
import { loadExamples } from '../../src/embedded/examples';
import { openCore } from '../support/core';
import { readExamples } from '../support/examples';
import { silentLog } from '../support/log';
import { wrongExamplesOf } from '../support/wrong-examples';

it('the quick start stores all official examples except those with known errors', async () => {
  const opened = await openCore();
  const output = Object.assign(new PassThrough().resume(), { isTTY: false as const });
  const wrong = RELEASE_NAMES.reduce((sum, release) => sum + wrongExamplesOf(release, true).size, 0);
  const all = RELEASE_NAMES.reduce((sum, release) => sum + readExamples(release).length, 0);
  try {
    expect(await loadExamples(opened.core, 'system', silentLog, output)).toEqual({
      stored: all - wrong,
      refused: wrong,
      subscriptionsOff: RELEASE_NAMES.length,
    });
    for (const release of RELEASE_NAMES) {
      const context = await opened.context('system', release);
      const { matches } = await opened.core.search(context, { type: 'Subscription', parameters: [] });
      const statuses = matches.map(({ text }) => JSON.parse(text).status);
      expect(statuses.sort()).toEqual(['error', 'off']);
    }
  } finally {
    await opened.close();
  }
}, 120_000);
