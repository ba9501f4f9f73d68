/**
 * Like hidden.test.ts, over two server processes: requests for the one side go to another process than those for the
 * other, in turn, so that a page, an asynchronous request and changes of a client are read where they were not made.
 * Cached answers of one process for clients with full access are used by no other.
 */
import { findFreePort } from '../../src/embedded/free-port';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startProcess, type ServerProcess } from '../support/process';
import { startServer, type TestServer } from '../support/server';
import { wordOf } from './hidden/data';
import { graphqlPast, historiesOfThen } from './hidden/past';
import { graphqlReads } from './hidden/graphql-reads';
import {
  direct,
  guessesOf,
  inBatches,
  parametersOf,
  QUERIES,
  READS,
  VEILED_TYPES,
  waysOf,
} from './hidden/questions';
import { openTwoSides, TWO_SIDES_ENVIRONMENT, type Question, type TwoSides } from './hidden/two-sides';
import { writes } from './hidden/writes';
import { rounds } from '../support/rounds';

const MOST_SHOWN = 5;
/** One of this many requests for each parameter is sent in each release, each time another one. */
const STRIDE = rounds(27, 9);
/** The stride of requests about the past: the numbers of moments and requests have no common divisor with it. */
const PAST_STRIDE = rounds(33, 11);

let database: TestDatabase;
let server: TestServer;
let other: ServerProcess;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startServer({ database, environment: TWO_SIDES_ENVIRONMENT });
  other = await startProcess({
    ...{ database, port: await findFreePort() },
    environment: { ...TWO_SIDES_ENVIRONMENT, LOG_LEVEL: 'silent' },
  });
});
afterAll(async () => {
  await other.close();
  await server.close();
  await database.drop();
});

describe.each([
  ['r4', 0],
  ['r4b', 1],
] as const)('%s', (release, place) => {
  let sides: TwoSides;

  beforeAll(async () => {
    sides = await openTwoSides(server, release, [other]);
  });

  async function wrongOf(questions: readonly Question[]): Promise<readonly string[]> {
    const wrong: string[] = [];
    for (const question of questions) {
      const found = await sides.compare(question);
      if (found !== undefined) wrong.push(found);
      if (wrong.length === MOST_SHOWN) break;
    }
    return wrong;
  }

  /** A client with full access sends the request to each process first, so that answers may be cached. */
  async function expectHidden(questions: readonly Question[], leastDiffering: number): Promise<void> {
    let differing = 0;
    for (const question of questions) if (await sides.differs(question)) differing++;
    expect(differing).toBeGreaterThanOrEqual(leastDiffering);
    expect(await wrongOf(questions)).toEqual([]);
  }

  it('reads, searches, compartments, histories and operations are answered as if nothing were hidden', async () => {
    await expectHidden(inBatches(release, READS), 2);
    await expectHidden(inBatches(release, QUERIES), 2);
  });

  it('so are pages that another process continues, and asynchronous requests that another one answers', async () => {
    expect(await wrongOf(direct(release))).toEqual([]);
  });

  it('by every search parameter, also those that the tenant has made', async () => {
    const urls = VEILED_TYPES.flatMap((type) =>
      parametersOf(release, type).flatMap(([code, kind], index) => {
        const guesses = guessesOf(kind);
        return waysOf(type, code, kind, guesses[index % guesses.length] ?? '');
      }),
    ).filter((_url, index) => index % STRIDE === place);
    expect(urls.length).toBeGreaterThan(rounds(70, 200));
    await expectHidden(inBatches(release, urls), 2);
  });

  it('so is GraphQL, now and as of each moment between two changes', async () => {
    await expectHidden(graphqlReads(release), 40);
    const past = graphqlPast(release).filter((_question, index) => index % PAST_STRIDE === place);
    expect(past.length).toBeGreaterThan(rounds(17, 50));
    await expectHidden(past, 10);
    await expectHidden(inBatches(release, historiesOfThen()), 1);
  });

  it('so are attempts of changes at the one process, and the answers of the other one', async () => {
    expect(await wrongOf(writes(release))).toEqual([]);
    for (const address of ['Patient/a', 'Observation/v4', 'Bundle/bun'])
      expect((await sides.stored(0, address)).text).toContain(wordOf(0));
    // Not of pages: resources with ids of the server have another order on each side.
    expect(await wrongOf(inBatches(release, READS))).toEqual([]);
  });
});
