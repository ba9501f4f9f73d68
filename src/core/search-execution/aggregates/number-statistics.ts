/** Least, greatest, mean and sum of the values that the matches of a search have for a number or quantity parameter. */
import type { AggregateRequest, NumberRequest } from '../../api/search';
import type { NumberStatistics, WrittenUnit } from '../../search/requests/search-request';
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import { parseStoredObject } from '../../fhir/json';
import type { SearchServices } from '../../ports';
import type { Hasher } from '../../search/rows/hash';
import { compileNumbers, numberParameter, type NumberValue } from '../../search/values/number-values';
import type { StoredParameter } from '../../search/parameters/parameter';
import { isSingleValued } from '../../search/parameters/single-valued';
import { statisticsOf, UnitTotals, type UnitTotal } from '../../search/values/unit-totals';
import { keyOfText } from '../../storage/read/version-row';
import { totalNumbers, type RowTotal } from '../../storage/search/number-statement';
import { searchContext } from '../plan/prepare-search';
import { countingReason, withReason } from '../search-timeout';
import { type AggregateBounds, type PlannedMatches, planMatches, readMatches } from './matches';

/** Maximum number of units, which clients choose. */
const MAX_UNITS = 100;

interface StatisticsTask {
  readonly request: Omit<AggregateRequest, 'by' | 'numbers'>;
  readonly numbers: NumberRequest;
  readonly bounds: AggregateBounds;
}

/**
 * As counts by values: up to a thousand matches are read; for more, the index rows of a parameter with one value for
 * each resource are added up; else up to 10,000 matches are read. All statements share one snapshot. Throws
 * unknownParameter, invalidValue, tooCostly.
 */
export async function numberStatistics(
  services: SearchServices,
  context: RequestContext,
  task: StatisticsTask,
): Promise<readonly NumberStatistics[]> {
  const { request, numbers, bounds } = task;
  const { definitions, hasher } = searchContext(services, context);
  const stored = numberParameter(definitions, request.type, numbers.parameter);
  const numbersOf = compileNumbers(stored, definitions);
  return services.scope.inSnapshot(services, context, async (reading) => {
    const planned = await planMatches(reading, context, request, bounds.few);
    const totals =
      planned && isSingleValued(definitions, stored)
        ? await withReason(addRows(reading, { planned, stored, numbersOf, hasher, most: bounds.rows }), () =>
            countingReason(planned.plan),
          )
        : undefined;
    return statisticsOf(totals ?? (await addMatches(reading, context, { task, numbersOf })), numbers.unit);
  });
}

async function addMatches(
  services: SearchServices,
  context: RequestContext,
  {
    task: { request, bounds, numbers },
    numbersOf,
  }: { readonly task: StatisticsTask; readonly numbersOf: NumbersOf },
): Promise<readonly UnitTotal[]> {
  const totals = new UnitTotals();
  const isAll = await readMatches(services, context, {
    request,
    most: bounds.read,
    visit: (resource) => {
      for (const number of numbersOf(resource)) totals.add(number);
      if (totals.size > MAX_UNITS) throw tooManyUnits(numbers.parameter);
    },
  });
  if (isAll) return totals.list();
  const reason = `More than ${bounds.read} ${request.type} resources match, and their numbers can only be added up by reading each of them: narrow the search`;
  throw fhirError('tooCostly', { reason });
}

type NumbersOf = ReturnType<typeof compileNumbers>;

interface RowsTask {
  readonly planned: PlannedMatches;
  readonly stored: StoredParameter;
  readonly numbersOf: NumbersOf;
  readonly hasher: Hasher;
  readonly most: number;
}

/** Undefined if there are too many rows, or if some do not have all digits of their numbers. */
async function addRows(
  services: SearchServices,
  { planned, stored, numbersOf, hasher, most }: RowsTask,
): Promise<readonly UnitTotal[] | undefined> {
  const { number } = stored.parameter;
  const [source] = stored.rowsOf;
  const rows = { ...planned.ofRows, number: source?.number ?? number, mostRows: most };
  const totals = await totalNumbers(services.database, rows, MAX_UNITS + 1);
  if (totals === undefined) return undefined;
  if (totals.length > MAX_UNITS) throw tooManyUnits(stored.parameter.code);
  const { space, type } = planned.ofRows;
  const found = await services.reader.readCurrent(
    space,
    totals.map(({ exampleKey }) => ({ type, key: keyOfText(exampleKey) })),
  );
  const named: UnitTotal[] = [];
  for (const [index, total] of totals.entries()) {
    const row = found[index];
    if (row === undefined) throw new Error('an index row has no resource');
    const { body } = await services.reader.complete(space, row);
    const unit = unitOf(numbersOf(parseStoredObject(body)), total, hasher);
    named.push({ ...total, unit });
  }
  return named;
}

/** Returns the unit of the row, as one of the values of its resource has it. */
function unitOf(
  values: readonly NumberValue[],
  { unitCode, unitSystem, unitName }: RowTotal,
  hasher: Hasher,
): WrittenUnit {
  const hash = (text: string | undefined): number => (text === undefined ? 0 : hasher.cachedShort(text));
  const found = values.find(
    ({ unit: { system, code, unit } }) =>
      hash(system) === unitSystem &&
      hash(code) === unitCode &&
      (code !== undefined || hash(unit) === unitName),
  );
  if (found === undefined) throw new Error('an index row has a unit that its resource does not have');
  return found.unit;
}

function tooManyUnits(parameter: string): Error {
  const reason = `The values of '${parameter.slice(0, 80)}' have more than ${MAX_UNITS} units here: narrow the search`;
  return fhirError('tooCostly', { reason });
}
