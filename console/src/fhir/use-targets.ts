/** Finds records by what people call them. */
import { useQuery } from '@tanstack/react-query';
import type { JsonObject } from '../api/json';
import { searchRecords } from '../api/records';
import type { Space } from '../place';
import { mainParameters } from './search/search-columns';
import { useDefinition, useSearchParameters } from './search/search-definitions';
import type { SearchParameter } from './search/search-parameters';
import { formatQuery } from './search/search-query';
import { escapeValue } from '../../../packages/fhir-values/search-value';

const SUGGESTIONS = 10;
/** Types whose names have parts. */
const PEOPLE: ReadonlySet<string> = new Set(['Patient', 'Practitioner', 'Person', 'RelatedPerson']);

/** The parameter that finds a record by what people call it: its name, or the words of its code. */
function namingQuery(
  target: string,
  parameters: readonly SearchParameter[],
  text: string,
): string | undefined {
  const named = parameters.find(({ type }) => type === 'string');
  const coded = parameters.find(({ type, code }) => type === 'token' && code !== '_id');
  const parameter = named ?? coded;
  if (text === '' || parameter === undefined) return text === '' ? '' : undefined;
  // Given name and family name are values of their own, so that none begins with "Ida Anders".
  const parts = PEOPLE.has(target) ? text.split(/\s+/).filter((part) => part !== '') : [text];
  const modifier = parameter === named ? '' : 'text';
  return formatQuery({
    criteria: parts.map((part) => ({
      ...{ kind: 'value', name: parameter.code, modifier },
      values: [escapeValue(part)],
    })),
    sort: [],
    includes: [],
    count: undefined,
    cursor: undefined,
  });
}

/** The first records of a type whose names have the text; none of the type ''. */
export function useTargets(space: Space, target: string, text: string): readonly JsonObject[] {
  const { parameters } = useSearchParameters(space, target);
  const definition = useDefinition(space, target);
  const main = mainParameters(definition.data ?? undefined, parameters, parameters.length);
  const query = namingQuery(target, main, text);
  const found = useQuery({
    queryKey: ['suggested-records', space, target, query],
    queryFn: ({ signal }) =>
      searchRecords(space, { type: target, query: query ?? '' }, { first: SUGGESTIONS, signal }),
    enabled: target !== '' && query !== undefined && parameters.length > 0 && !definition.isPending,
    retry: false,
    placeholderData: (before) => before,
  });
  return found.data?.matches ?? [];
}
