/** Edits the criteria of a search. The address of the browser changes when the form is submitted. */
import { Button, Collapse, Group, Paper, Stack, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconSearch } from '../../../layout/icons/icons';
import { useState } from 'react';
import type { SearchParameter } from '../../../fhir/search/search-parameters';
import { formatQuery, parseQuery, type Criterion, type SearchQuery } from '../../../fhir/search/search-query';
import { withMainCriteria } from '../../../fhir/search/search-draft';
import { Disclosure } from '../../../layout/disclosure';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { AddCriterion } from './add-criterion';
import { CriterionRow } from './criterion-row';
import { ResultOptions } from './result-options';

const { resources } = texts;

export interface SearchFormProps {
  readonly space: Space;
  readonly type: string;
  /** The query string of the address. */
  readonly query: string;
  /** The parameters that are shown without being added. */
  readonly main: readonly SearchParameter[];
  readonly onSearch: (query: string) => void;
}

export function SearchForm({ space, type, query, main, onSearch }: SearchFormProps) {
  const [draft, setDraft] = useDraft(query, main);
  const hasOptions = draft.sort.length > 0 || draft.includes.length > 0 || draft.count !== undefined;
  const [isOpen, { toggle }] = useDisclosure(hasOptions);
  const setCriteria = (criteria: readonly Criterion[]): void => setDraft({ ...draft, criteria });
  return (
    <Paper
      component="form"
      withBorder
      p="sm"
      onSubmit={(event: React.FormEvent) => {
        event.preventDefault();
        onSearch(formatQuery({ ...draft, cursor: undefined }));
      }}
    >
      <Title order={2} size="h5" mb="xs">
        {resources.criteria}
      </Title>
      <Stack gap="xs">
        {draft.criteria.map((criterion, index) => (
          // Criteria have no identity but their place.
          <CriterionRow
            key={index}
            space={space}
            type={type}
            criterion={criterion}
            onChange={(changed) =>
              setCriteria(draft.criteria.map((each, at) => (at === index ? changed : each)))
            }
            onRemove={
              index < main.length
                ? undefined
                : () => setCriteria(draft.criteria.filter((_, at) => at !== index))
            }
          />
        ))}
        <Group justify="space-between" mt={4}>
          <Group gap="sm">
            <AddCriterion
              space={space}
              type={type}
              onAdd={(criterion) => setCriteria([...draft.criteria, criterion])}
            />
            <Disclosure label={resources.more} isOpen={isOpen} onToggle={toggle} />
          </Group>
          <Group gap="sm">
            {query === '' ? null : (
              <Button variant="default" onClick={() => onSearch('')}>
                {resources.clear}
              </Button>
            )}
            <Button type="submit" leftSection={<IconSearch size={16} aria-hidden />}>
              {resources.search}
            </Button>
          </Group>
        </Group>
        <Collapse expanded={isOpen}>
          <ResultOptions space={space} type={type} draft={draft} onChange={setDraft} />
        </Collapse>
      </Stack>
    </Paper>
  );
}

/** What the person edits; another address replaces it. */
function useDraft(
  query: string,
  main: readonly SearchParameter[],
): readonly [SearchQuery, (draft: SearchQuery) => void] {
  const codes = main.map(({ code }) => code);
  const key = `${query}#${codes.join()}`;
  const fresh = (): SearchQuery => withMainCriteria(parseQuery(query), codes);
  const [state, setState] = useState(() => ({ key, draft: fresh() }));
  if (state.key !== key) setState({ key, draft: fresh() });
  return [state.draft, (draft) => setState({ key, draft })];
}
