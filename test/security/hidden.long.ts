/**
 * Like hidden.test.ts, at random and in both releases: two tenants that differ only in data that a policy hides give
 * a client without access to them the same answers, also after changes by that client.
 *
 *   HIDDEN_QUESTIONS=20000 HIDDEN_SEED=7 npx jest -c jest.long.config.js test/security/hidden.long.ts
 *
 * A difference is printed with its request.
 */
import type { Release } from '../../src/core';
import { createRandom } from '../properties/oracle/random';
import type { TestServer } from '../support/server';
import { inBatches, READS } from './hidden/questions';
import { anyQuestion } from './hidden/random-questions';
import { openTwoSides, startTwoSidesServer } from './hidden/two-sides';
import { rounds } from '../support/rounds';

const setting = (name: string, usual: number): number => {
  const text = process.env[`HIDDEN_${name}`];
  return text === undefined || text === '' ? usual : Number(text);
};
/** The questions of each release. */
const QUESTIONS = setting('QUESTIONS', rounds(50, 150));
const SEED = setting('SEED', 1);
const MOST_SHOWN = 5;

let server: TestServer;

beforeAll(async () => {
  server = await startTwoSidesServer();
});
afterAll(() => server.close());

it.each<Release>(['r4', 'r4b'])(
  'for all requests in %s, hidden data do not show',
  async (release) => {
    const sides = await openTwoSides(server, release);
    const random = createRandom(SEED);
    const wrong: string[] = [];
    // A client with full access sees the difference.
    for (const question of inBatches(release, READS.slice(0, 40)))
      expect(await sides.differs(question)).toBe(true);
    for (let count = 0; count < QUESTIONS && wrong.length < MOST_SHOWN; count++) {
      const found = await sides.compare(anyQuestion(random, release));
      if (found !== undefined) wrong.push(`HIDDEN_SEED=${SEED}, question ${count}: ${found}`);
    }
    expect(wrong).toEqual([]);
  },
  60_000 + QUESTIONS * 200,
);
