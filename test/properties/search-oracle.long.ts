/**
 * Random searches of random data, against the oracle of ./oracle, which knows the rules of search and nothing of the
 * server. A difference is printed with what it takes to ask it again:
 *
 *   ORACLE_SEED=7 ORACLE_RELEASE=r4 ORACLE_SEARCH='Observation?code=a' \
 *     npx jest --config jest.long.config.js test/properties/search-oracle.long.ts
 *
 * (several, one a line. A difference in `_lastUpdated` is met again by the whole set: other searches of the same seed, at
 * another time.)
 *
 * ORACLE_SETS (sets of data), ORACLE_SEARCHES (of each set) and ORACLE_SIZE (times the usual number of resources) change
 * how much is asked, ORACLE_SHOWN how many differences of a set are printed. ORACLE_GATHER is SEARCH_SORT_LIMIT of the server:
 * with 0 everything is found as among many matches. ORACLE_FEATURES adds features to those that
 * the server has, or with a minus takes them away.
 *
 * Another tenant has other resources under the same ids, and those that references to nowhere name.
 */
import { OPEN, startServer, type TestServer } from '../support/server';
import { compare } from './oracle/compare';
import { FEATURES, type Feature } from './oracle/features';
import { generateSearch } from './oracle/generate-query';
import { loadSpace, plantElsewhere, PUBLIC_URL } from './oracle/loaded-space';
import type { Release } from './oracle/official';
import type { GeneratedSearch } from './oracle/query-maker';
import { createRandom } from './oracle/random';
import type { Verdict } from './oracle/verdict';
import { rounds } from '../support/rounds';

/** Missing features of the server: covered only by the oracle's own tests. */
const FEATURES_OFF: readonly Feature[] = [];

const setting = (name: string): string | undefined => {
  const text = process.env[`ORACLE_${name}`];
  return text === '' ? undefined : text;
};
const SEED = Number(setting('SEED') ?? 1);
const SETS = setting('SEARCH') === undefined ? Number(setting('SETS') ?? rounds(1, 20)) : 1;
const SEARCHES = Number(setting('SEARCHES') ?? 1000);
const MOST_SHOWN = Number(setting('SHOWN') ?? 10);
const SIZE = Number(setting('SIZE') ?? 1);
const RELEASES = (['r4', 'r4b'] as const).filter((release) => (setting('RELEASE') ?? release) === release);
const AT_ONCE = 4;
const MOST_UNCLEAR = 0.1;
const ELSEWHERE = 'oracle-elsewhere';
const PLANTED_SEED = 424_242;

function selectedFeatures(): ReadonlySet<Feature> {
  const words = (setting('FEATURES') ?? '').split(',').filter((word) => word !== '');
  const isFeature = (word: string): word is Feature => FEATURES.some((feature) => feature === word);
  const removed = words.filter((word) => word.startsWith('-')).map((word) => word.slice(1));
  const added = words.includes('all') ? FEATURES : words.filter(isFeature);
  const present = FEATURES.filter((feature) => !FEATURES_OFF.includes(feature));
  return new Set([...present, ...added].filter((feature) => !removed.includes(feature)));
}

const features = selectedFeatures();
let server: TestServer;

beforeAll(async () => {
  const sortLimit = setting('GATHER');
  server = await startServer({
    environment: {
      ...OPEN,
      PUBLIC_URL,
      ...(sortLimit === undefined ? {} : { SEARCH_SORT_LIMIT: sortLimit }),
    },
  });
  await makeTenant(ELSEWHERE);
  for (const release of ['r4', 'r4b'] as const)
    await plantElsewhere(server, { tenant: ELSEWHERE, release, seed: PLANTED_SEED });
});
afterAll(() => server.close());

async function makeTenant(name: string): Promise<void> {
  const { status, text } = await server.request(
    'POST',
    '/w/system/api/v1/tenants',
    { name },
    {
      'content-type': 'application/json',
    },
  );
  if (status !== 201 && status !== 409) throw new Error(text);
}

/** The searches of ORACLE_SEARCH, one per line. */
function searchesToRepeat(): GeneratedSearch[] | undefined {
  return setting('SEARCH')
    ?.split('\n')
    .map((text) => {
      const [type = '', ...query] = text.split('?');
      return { type: type === '' ? undefined : type, query: query.join('?') };
    });
}

function describeDifference(
  release: Release,
  seed: number,
  { type, query }: GeneratedSearch,
  verdict: Verdict,
): string {
  const { expected, got } = typeof verdict === 'string' ? { expected: '', got: '' } : verdict;
  return [
    `ORACLE_SEED=${seed} ORACLE_SIZE=${SIZE} ORACLE_RELEASE=${release} ORACLE_SEARCH='${type ?? ''}?${query}'`,
    `  that is  ${type ?? ''}?${decodeURIComponent(query)}`,
    `  expected ${expected}`,
    `  got      ${got}`,
  ].join('\n');
}

const sets = RELEASES.flatMap((release) =>
  Array.from({ length: SETS }, (_unused, index) => ({ release, seed: SEED + index })),
);

describe('searches of random data', () => {
  it.each(sets)(
    'find the matches of the rules, under $release with seed $seed',
    async ({ release, seed }) => {
      const tenant = `oracle-${seed}`;
      await makeTenant(tenant);
      const space = await loadSpace(server, {
        tenant,
        release,
        seed,
        size: SIZE,
        hasContained: features.has('chain:contained'),
      });
      const random = createRandom(seed);
      const repeated = searchesToRepeat();
      const wrong: string[] = [];
      let unclear = 0;
      let left = repeated?.length ?? SEARCHES;
      const worker = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          const searches =
            repeated?.[left] ?? generateSearch({ space, random, isOn: (feature) => features.has(feature) });
          const verdict = await compare(server, space, searches);
          if (verdict === 'unclear') unclear += 1;
          else if (verdict !== 'same') wrong.push(describeDifference(release, seed, searches, verdict));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      if (wrong.length > 0) {
        throw new Error(`${wrong.length} of ${SEARCHES} differ:\n${wrong.slice(0, MOST_SHOWN).join('\n')}`);
      }
      expect(unclear).toBeLessThanOrEqual(SEARCHES * MOST_UNCLEAR);
    },
  );
});
