import type { RequestContext } from '../../context';
import type { SortKey } from '../../search/requests/parse-search';
import type { ValueOrder } from '../../search/sort/order';
import { sortRowsOf } from '../../search/sort/sort-rows';
import type { Services } from '../../ports';
import { hasLongNumbers } from '../../storage/search/long-numbers';

/**
 * The order of a key whose index rows are in sort order; undefined if there is none. Rows of numbers are, unless a
 * number in the space has more digits than its row holds. Cost: for numbers one statement with one index probe.
 */
export async function valueOrderOf(
  services: Pick<Services, 'database' | 'definitionsOf'>,
  { space }: RequestContext,
  type: string,
  { parameter, descending }: SortKey,
): Promise<ValueOrder | undefined> {
  if (parameter === undefined) return undefined;
  const rows = sortRowsOf(services.definitionsOf(space), type, parameter);
  if (rows === undefined) return undefined;
  if (rows.domain === 'number' && (await hasLongNumbers(services.database, space.number, rows.parameter)))
    return undefined;
  return { by: 'value', descending, rows };
}
