/**
 * As hidden.test.ts, at random and in both releases: two tenants that differ in nothing but what a policy hides give a client
 * who may not see it the same answers, also after what that client has changed.
 *
 *   HIDDEN_QUESTIONS=20000 HIDDEN_SEED=7 npx jest -c jest.long.config.js test/security/hidden.long.ts
 *
 * A difference is printed with its question.
 */
import type { Release } from '../../src/core';
import { createRandom } from '../properties/oracle/random';
import type { TestServer } from '../support/server';
import { anyQuestion } from './hidden/random-questions';
import { openTwoSides, startTwoSidesServer } from './hidden/two-sides';

const setting = (name: string, usual: number): number => {
  const text = process.env[`HIDDEN_${name}`];
  return text === undefined || text === '' ? usual : Number(text);
};
/** Of each release. */
const QUESTIONS = setting('QUESTIONS', 150);
const SEED = setting('SEED', 1);
const MOST_SHOWN = 5;

let server: TestServer;

beforeAll(async () => {
  server = await startTwoSidesServer();
});
afterAll(() => server.close());

it.each<Release>(['r4', 'r4b'])(
  'whatever is asked in %s, what is hidden does not show',
  async (release) => {
    const sides = await openTwoSides(server, release);
    const random = createRandom(SEED);
    const wrong: string[] = [];
    let telling = 0;
    for (let asked = 0; asked < QUESTIONS && wrong.length < MOST_SHOWN; asked++) {
      const question = anyQuestion(random, release);
      const found = await sides.compare(question);
      if (found !== undefined) wrong.push(`HIDDEN_SEED=${SEED}, question ${asked}: ${found}`);
      // Changes of one who sees everything would make of both sides two that differ in more.
      if (question.method === 'GET' && asked % 5 === 0 && (await sides.tellsApart(question))) telling++;
    }
    expect(wrong).toEqual([]);
    expect(telling).toBeGreaterThan(QUESTIONS / 150);
  },
  60_000 + QUESTIONS * 200,
);
