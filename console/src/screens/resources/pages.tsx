/** The pages of a result. Each has its own address; the browser's history remembers those before it. */
import { Button, Group, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '../../layout/icons/icons';
import { Link, useLocation } from 'react-router';
import { formatQuery, parseQuery } from '../../fhir/search/search-query';
import { texts } from '../../texts';

const { resources } = texts;

/** Cursors of the pages before this one; '' is the first page. Undefined: the address was opened without them. */
function readBefore(state: unknown): readonly string[] | undefined {
  if (typeof state !== 'object' || state === null || !('before' in state)) return undefined;
  const { before } = state;
  return Array.isArray(before) ? before.map(String) : undefined;
}

export function Pages({ query, next }: { readonly query: string; readonly next: string | undefined }) {
  const location = useLocation();
  const { pathname } = location;
  const state: unknown = location.state;
  const parsed = parseQuery(query);
  const isFirst = parsed.cursor === undefined;
  const before = isFirst ? [] : readBefore(state);
  const addressOf = (cursor: string): string => {
    const text = formatQuery({ ...parsed, cursor: cursor === '' ? undefined : cursor });
    return text === '' ? pathname : `${pathname}?${text}`;
  };
  if (isFirst && next === undefined) return null;
  const previous = before?.at(-1);
  return (
    <Group component="nav" aria-label={resources.pages} gap="sm">
      {isFirst ? null : (
        <Button component={Link} to={addressOf('')} size="xs" variant="default">
          {resources.first}
        </Button>
      )}
      {previous === undefined ? null : (
        <Button
          component={Link}
          to={addressOf(previous)}
          state={{ before: before?.slice(0, -1) }}
          size="xs"
          variant="default"
          leftSection={<IconChevronLeft size={14} aria-hidden />}
        >
          {resources.previous}
        </Button>
      )}
      {before === undefined ? null : <Text size="sm">{resources.page(before.length + 1)}</Text>}
      {next === undefined ? null : (
        <Button
          component={Link}
          to={addressOf(next)}
          {...(before === undefined ? {} : { state: { before: [...before, parsed.cursor ?? ''] } })}
          size="xs"
          variant="default"
          rightSection={<IconChevronRight size={14} aria-hidden />}
        >
          {resources.next}
        </Button>
      )}
    </Group>
  );
}
