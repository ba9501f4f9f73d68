/** The number of matches, which is counted apart so that the table does not wait for it. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { countRecords } from '../../api/records';
import { formatQuery, parseQuery } from '../../fhir/search/search-query';
import type { Space } from '../../place';
import { texts } from '../../texts';

const { resources } = texts;

export interface TotalProps {
  readonly space: Space;
  readonly type: string;
  readonly query: string;
  /** Matches on this page. */
  readonly count: number;
}

export function Total({ space, type, query, count }: TotalProps) {
  const parsed = parseQuery(query);
  // Pages, order and includes do not change the number of matches.
  const criteria = formatQuery({
    criteria: parsed.criteria,
    sort: [],
    includes: [],
    count: undefined,
    cursor: undefined,
  });
  const total = useQuery({
    queryKey: ['total', space, type, criteria],
    queryFn: () => countRecords(space, { type, query: criteria }),
    refetchOnWindowFocus: true,
    retry: false,
  });
  const words = total.isPending
    ? resources.counting
    : total.isError
      ? resources.notCounted
      : resources.total(total.data.toLocaleString());
  return (
    <Text size="sm" c="dimmed" role="status">
      {resources.shown(count)} · {words}
    </Text>
  );
}
