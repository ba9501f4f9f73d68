/** The order of the results, what is included with them, and how many are on a page. */
import { MultiSelect, Select, SimpleGrid } from '@mantine/core';
import { useCapabilities } from '../../../fhir/search/search-definitions';
import type { Include, SearchQuery, SortKey } from '../../../fhir/search/search-query';
import type { Space } from '../../../place';
import { texts } from '../../../texts';

const { resources } = texts;
export const PAGE_SIZES = [10, 20, 50, 100];
export const PAGE_SIZE = 20;

export interface ResultOptionsProps {
  readonly space: Space;
  readonly type: string;
  readonly draft: SearchQuery;
  readonly onChange: (draft: SearchQuery) => void;
}

const toSortKey = (text: string): SortKey => ({
  name: text.replace(/^-/, ''),
  isDescending: text.startsWith('-'),
});
const toText = ({ name, isDescending }: SortKey): string => `${isDescending ? '-' : ''}${name}`;

export function ResultOptions({ space, type, draft, onChange }: ResultOptionsProps) {
  const capabilities = useCapabilities(space);
  const capability = capabilities.data?.get(type);
  const sortable = (capability?.parameters ?? []).filter(
    ({ type: kind }) => kind !== 'composite' && kind !== 'special',
  );
  const codes = new Set([...sortable.map(({ code }) => code), ...draft.sort.map(({ name }) => name)]);
  const keys = [...codes].flatMap((code) => [
    { value: code, label: resources.ascending(code) },
    { value: `-${code}`, label: resources.descending(code) },
  ]);
  const size = draft.count ?? PAGE_SIZE;
  const sizes = PAGE_SIZES.includes(size) ? PAGE_SIZES : [...PAGE_SIZES, size];
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" verticalSpacing="xs" pb="xs">
      <MultiSelect
        label={resources.order}
        data={keys}
        value={draft.sort.map(toText)}
        onChange={(chosen) => onChange({ ...draft, sort: chosen.map(toSortKey) })}
        searchable
        limit={100}
      />
      <Select
        label={resources.pageSize}
        data={sizes.map(String)}
        value={String(size)}
        onChange={(chosen) =>
          onChange({ ...draft, count: Number(chosen) === PAGE_SIZE ? undefined : Number(chosen) })
        }
        allowDeselect={false}
      />
      <IncludeSelect
        label={resources.include}
        name="_include"
        known={capability?.includes ?? []}
        draft={draft}
        onChange={onChange}
      />
      <IncludeSelect
        label={resources.reverseInclude}
        name="_revinclude"
        known={capability?.reverseIncludes ?? []}
        draft={draft}
        onChange={onChange}
      />
    </SimpleGrid>
  );
}

/** The mark of an include that is repeated for what it finds. */
const AGAIN = 'iterate ';

function IncludeSelect({
  label,
  name,
  known,
  draft,
  onChange,
}: {
  readonly label: string;
  readonly name: Include['name'];
  readonly known: readonly string[];
  readonly draft: SearchQuery;
  readonly onChange: (draft: SearchQuery) => void;
}) {
  const own = draft.includes.filter((include) => include.name === name);
  const toValue = ({ isIterated, value }: Include): string => `${isIterated ? AGAIN : ''}${value}`;
  const values = own.map(toValue);
  const all = [...new Set([...known, ...values])];
  const toInclude = (text: string): Include => ({
    name,
    isIterated: text.startsWith(AGAIN),
    value: text.replace(AGAIN, ''),
  });
  return (
    <MultiSelect
      label={label}
      data={all.map((value) => ({
        value,
        label: value.startsWith(AGAIN) ? resources.includeAgain(value.replace(AGAIN, '')) : value,
      }))}
      value={values}
      onChange={(chosen) =>
        onChange({
          ...draft,
          includes: [...draft.includes.filter((include) => include.name !== name), ...chosen.map(toInclude)],
        })
      }
      searchable
      limit={100}
    />
  );
}
