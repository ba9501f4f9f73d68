/** The slowest searches that a process keeps for its operator. */
import { type FhirError, fhirError, type SearchPage } from '../../../src/core';
import { SlowSearches } from '../../../src/core/search-execution/slow-searches';

const context = (tenant = 'acme') => ({ space: { tenant, release: 'r4' as const } });
const page = (...used: [string, string][]): SearchPage => ({ matches: [], included: [], issues: [], used });

async function note(
  searches: SlowSearches,
  type: string,
  found: SearchPage | FhirError,
  of = context(),
): Promise<void> {
  const request = { type, parameters: [['ignored-muster', 'x'] as const] };
  await searches.observe(
    of,
    [request],
    () => Promise.resolve(found),
    (one) => [one],
  );
}

it('keeps the names of parameters and never a value, nor a name that was ignored', async () => {
  const searches = new SlowSearches(0);
  await note(
    searches,
    'Patient',
    page(['name:exact', 'Muster'], ['birthdate', '1970-01-01'], ['_cursor', 'abc']),
  );
  await note(searches, 'Patient', page(['birthdate', '1980'], ['name:exact', 'Doe']));
  expect(searches.list()).toMatchObject([
    { tenant: 'acme', release: 'r4', shape: 'Patient?birthdate&name:exact', count: 2 },
  ]);
  expect(JSON.stringify(searches.list())).not.toMatch(/Muster|muster|1970|abc/);
});

it('keeps a search that failed by the key of its error', async () => {
  const searches = new SlowSearches(0);
  const failing = searches.observe(
    context(),
    [{ type: 'Observation', parameters: [['code', 'secret']] }],
    () => Promise.reject(fhirError('searchTimeout', { reason: 'secret' })),
    () => [],
  );
  await expect(failing).rejects.toThrow('secret');
  expect(searches.list()).toMatchObject([{ shape: 'Observation? (searchTimeout)', count: 1 }]);
});

it('keeps quick searches not at all, and of many shapes the slowest', async () => {
  const quick = new SlowSearches(60_000);
  await note(quick, 'Patient', page());
  expect(quick.list()).toEqual([]);
  const many = new SlowSearches(0);
  for (let shape = 0; shape < 1_000; shape++) await note(many, `Type${shape}`, page());
  expect(many.list()).toHaveLength(20);
  await note(many, 'Patient', page(), context('other'));
  expect(many.list().every(({ slowestMs, averageMs }) => slowestMs >= averageMs)).toBe(true);
});
