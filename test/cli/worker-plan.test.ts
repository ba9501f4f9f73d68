/** How many workers a server has, and the share of each. */
import { loadSettings } from '../../src/config';
import { heapOfWorker } from '../../src/config/memory';
import { planWorkers, shareOf } from '../../src/config/workers';

const MEGABYTE = 1024 * 1024;

function planOf(environment: Readonly<Record<string, string>>, cores = 8): ReturnType<typeof planWorkers> {
  return planWorkers(loadSettings(environment), environment, cores);
}

it('a server serves by itself where nothing is set', () => {
  expect(planOf({})).toEqual({ count: 1, connections: 14, notices: [] });
});

it('a start warns of more workers than cores', () => {
  expect(planOf({ WORKERS: '3' }, 3).notices).toEqual([]);
  expect(planOf({ WORKERS: '3' }, 2)).toMatchObject({
    count: 3,
    notices: [
      'WORKERS is 3, but there are 2 cores: more workers than cores need memory and connections, and are not faster',
    ],
  });
});

it('auto is a worker for each core, and each has at least four connections', () => {
  expect(planOf({ WORKERS: 'auto' }, 2)).toEqual({ count: 2, connections: 7, notices: [] });
  const { count, connections, notices } = planOf({ WORKERS: 'auto' });
  expect([count, connections]).toEqual([8, 4]);
  expect(notices).toEqual([
    '8 workers have 4 connections to PostgreSQL each, 32 in all: more than DATABASE_CONNECTIONS (14)',
  ]);
});

it('auto is as many as have their connections where DATABASE_CONNECTIONS is set', () => {
  const { count, connections, notices } = planOf({ WORKERS: 'auto', DATABASE_CONNECTIONS: '14' });
  expect([count, connections]).toEqual([3, 4]);
  expect(notices).toEqual(['3 of 8 cores have a worker, because each needs 4 of DATABASE_CONNECTIONS (14)']);
  expect(planOf({ WORKERS: 'auto', DATABASE_CONNECTIONS: '2' }).count).toBe(1);
});

it('a number that is asked for is taken, and the start says that it has more connections', () => {
  const { count, connections, notices } = planOf({ WORKERS: '5', DATABASE_CONNECTIONS: '10' });
  expect([count, connections]).toEqual([5, 4]);
  expect(notices).toHaveLength(1);
});

it('connections, caches and bytes are divided; nothing else is', () => {
  const settings = loadSettings({
    DATABASE_CONNECTIONS: '40',
    MAX_CONNECTIONS: '1000',
    VERSION_CACHE_MB: '100',
    SEARCH_CACHE_MB: '0',
    MAX_BYTES_UNDER_WAY: '400000000',
  });
  const share = shareOf(settings, 4);
  expect(share).toEqual({
    ...settings,
    database: { ...settings.database, connections: 10 },
    connection: { ...settings.connection, connections: 250 },
    memory: { versionCacheMb: 25, searchCacheMb: 0, maxBytesUnderWay: 100_000_000 },
  });
  expect(shareOf(settings, 1)).toBe(settings);
});

it('a cache of the size of the heap is left to the heap', () => {
  expect(shareOf(loadSettings({}), 4).memory.versionCacheMb).toBeUndefined();
});

it('the heaps of all workers are that of one process and their programs, each with room for a large Bundle', () => {
  expect(heapOfWorker(4096 * MEGABYTE, 4)).toBe(1136);
  expect(heapOfWorker(2048 * MEGABYTE, 8)).toBe(512);
  expect(heapOfWorker(400 * MEGABYTE, 2)).toBe(400);
});

it.each(['0', '-1', '65', '2.5', 'all'])('WORKERS=%s is refused', (written) => {
  expect(() => loadSettings({ WORKERS: written })).toThrow(
    'WORKERS must be a whole number from 1 to 64, or auto',
  );
});
