/** What a search has found: the table, its pages, the total, and what the server has to say. */
import { Alert, Group, List, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { searchRecords, type RecordPage } from '../../api/records';
import { columnsOf, columnsOfRecords, defaultColumns } from '../../fhir/search/search-columns';
import { useDefinition } from '../../fhir/search/search-definitions';
import type { SearchParameter } from '../../fhir/search/search-parameters';
import { formatQuery, parseQuery } from '../../fhir/search/search-query';
import { Loaded } from '../../layout/loaded';
import type { Space } from '../../place';
import { texts } from '../../texts';
import { PAGE_SIZE } from './builder/result-options';
import { ColumnsMenu } from './columns-menu';
import { Equivalents } from './equivalents';
import { Included } from './included';
import { Pages } from './pages';
import { ResultsTable } from './results-table';
import { SavedSearches } from './saved/saved-searches';
import { SelectionBar } from './selection/selection-bar';
import { useSelection } from './selection/use-selection';
import { Total } from './total';
import { useColumns } from './use-columns';

const { resources } = texts;

export interface ResultsProps {
  readonly space: Space;
  readonly type: string;
  /** The query string of the address. */
  readonly query: string;
  readonly parameters: readonly SearchParameter[];
}

export function Results({ space, type, query, parameters }: ResultsProps) {
  const first = parseQuery(query).count ?? PAGE_SIZE;
  const page = useQuery({
    queryKey: ['search', space, type, query],
    queryFn: ({ signal }) => searchRecords(space, { type, query }, { first, signal }),
    refetchOnWindowFocus: true,
  });
  return (
    <Loaded query={page}>
      {(found) => <Found space={space} type={type} query={query} parameters={parameters} page={found} />}
    </Loaded>
  );
}

function Found({ space, type, query, parameters, page }: ResultsProps & { readonly page: RecordPage }) {
  const definition = useDefinition(space, type).data ?? undefined;
  const all = definition === undefined ? columnsOfRecords(page.matches) : columnsOf(definition, parameters);
  const usual =
    definition === undefined
      ? all.slice(0, 5).map(({ name }) => name)
      : defaultColumns(definition, parameters);
  const { shown, choose } = useColumns(type, all, usual);
  const isEmpty = page.matches.length === 0;
  const search = formatQuery({ ...parseQuery(query), includes: [], count: undefined, cursor: undefined });
  const selection = useSelection(`${space.tenant}/${space.release}/${type}?${search}`);
  return (
    <Stack gap="md">
      <Equivalents space={space} type={type} query={query} columns={shown} />
      <Group justify="space-between">
        <Total space={space} type={type} query={query} count={page.matches.length} />
        <Group gap="xs">
          <SavedSearches space={space} type={type} query={search} />
          <ColumnsMenu all={all} shown={shown} onChoose={choose} />
        </Group>
      </Group>
      <SelectionBar
        {...{ space, type, query: search, selection }}
        columns={shown}
        hasMore={page.next !== undefined || parseQuery(query).cursor !== undefined}
      />
      <Notes notes={page.notes} />
      {isEmpty ? (
        <Nothing type={type} query={query} />
      ) : (
        <ResultsTable {...{ space, type, query, selection }} columns={shown} records={page.matches} />
      )}
      <Pages query={query} next={page.next} />
      <Included space={space} records={page.included} />
    </Stack>
  );
}

function Notes({ notes }: { readonly notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <Alert color="yellow" title={resources.notes}>
      <List size="sm">
        {notes.map((note) => (
          <List.Item key={note}>{note}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

function Nothing({ type, query }: { readonly type: string; readonly query: string }) {
  const isWhole = parseQuery(query).criteria.length === 0;
  return (
    <Stack gap={4} align="center" py="xl" role="status">
      <Title order={2} size="h5">
        {isWhole ? resources.noneAtAll(type) : resources.none}
      </Title>
      {isWhole ? null : (
        <Text size="sm" c="dimmed" ta="center">
          {resources.noneHint}
        </Text>
      )}
    </Stack>
  );
}
