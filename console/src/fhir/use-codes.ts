import { useQuery } from '@tanstack/react-query';
import { get } from '../api/fhir';
import type { Space } from '../place';
import { readExpansion, type ListedCode } from './terminology';

const SUGGESTIONS = 20;

/**
 * Codes of a value set of which a word begins with the text. Undefined until they are read; null: the value set cannot be
 * expanded.
 */
export function useCodes(
  space: Space,
  valueSet: string | undefined,
  text: string,
): readonly ListedCode[] | null | undefined {
  const [url = '', version] = (valueSet ?? '').split('|');
  const suggestions = useQuery({
    queryKey: ['suggested-codes', space, valueSet, text],
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ url, count: String(SUGGESTIONS) });
      if (version !== undefined) query.set('valueSetVersion', version);
      if (text !== '') query.set('filter', text);
      return readExpansion((await get(space, `ValueSet/$expand?${query.toString()}`, signal)).value).codes;
    },
    enabled: valueSet !== undefined,
    staleTime: Infinity,
    retry: false,
    placeholderData: (before) => before,
  });
  return suggestions.isError ? null : suggestions.data;
}
