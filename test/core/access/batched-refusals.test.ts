import { BatchedRefusals } from '../../../src/core/audit/batched-refusals';
import { createIdSource } from '../../../src/core/search/rows/resource-key';
import type { AccessRecord } from '../../../src/core/storage/audit/access-line';

const REFUSED: AccessRecord = {
  ...{ key: { high: 0, low: 0 }, recorded: 0, interaction: 'none', status: 401, reason: 'unauthorized' },
  ...{ requestId: 'r', client: undefined, person: undefined, address: '192.0.2.1' },
  ...{ type: undefined, id: undefined, version: undefined, query: 'Patient', details: undefined },
};

/** Returns how often the records have each combination of address, client and number of further refusals. */
function tally(records: readonly AccessRecord[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { address = 'nobody', client = 'anonymous', details = '' } of records) {
    const told = `${address} ${client} ${details}`;
    counts[told] = (counts[told] ?? 0) + 1;
  }
  return counts;
}

function start(windowMs?: number): { records: AccessRecord[]; refusals: BatchedRefusals } {
  const records: AccessRecord[] = [];
  const note = (_space: number, record: AccessRecord): undefined => void records.push(record);
  return { records, refusals: new BatchedRefusals({ note }, createIdSource(), windowMs) };
}

it('many of one kind are told one by one until there are too many, then in one number', async () => {
  const { records, refusals } = start();
  for (let count = 0; count < 1_000; count++) {
    void refusals.note(1, REFUSED, false);
    void refusals.note(1, { ...REFUSED, client: 'ward', status: 406 }, true);
  }
  await refusals.close();
  expect(tally(records)).toEqual({
    '192.0.2.1 anonymous ': 20,
    '192.0.2.1 anonymous ~980': 1,
    '192.0.2.1 ward ': 100,
    '192.0.2.1 ward ~900': 1,
  });
  const [sum] = records.slice(-1);
  expect([sum?.requestId, sum?.query]).toEqual(['', undefined]);
});

it('a flood from many addresses has a bound for each space, and known clients have theirs beside it', async () => {
  const { records, refusals } = start();
  for (let from = 0; from < 5_000; from++)
    void refusals.note(1, { ...REFUSED, address: `2001:db8::${from.toString(16)}` }, false);
  void refusals.note(1, { ...REFUSED, client: 'ward' }, true);
  void refusals.note(2, REFUSED, false);
  await refusals.close();
  expect(records.length).toBeLessThanOrEqual(300 + 100 + 1 + 2);
  const told = records.reduce(
    (sum, { details }) => sum + (details === undefined ? 1 : Number(details.slice(1))),
    0,
  );
  expect(told).toBe(5_002);
  expect(records.filter(({ client }) => client === 'ward')).toHaveLength(1);
});

it('the counts are reported at the end of the minute, and the next minute begins at zero', async () => {
  const { records, refusals } = start(5);
  for (let count = 0; count < 30; count++) void refusals.note(1, REFUSED, false);
  while (records.length < 21) await new Promise((resolve) => setTimeout(resolve, 5));
  void refusals.note(1, REFUSED, false);
  await refusals.close();
  expect(tally(records)).toEqual({ '192.0.2.1 anonymous ': 21, '192.0.2.1 anonymous ~10': 1 });
});
