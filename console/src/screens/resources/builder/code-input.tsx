/** A code, with suggestions from the value set that the element is bound to. */
import { Autocomplete, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get } from '../../../api/fhir';
import { humanize } from '../../../fhir/humanize';
import { boundValueSet } from '../../../fhir/search-binding';
import { useDefinition } from '../../../fhir/search-definitions';
import { escapeValue } from '../../../../../packages/fhir-values/search-value';
import { fromTyped, toTyped } from '../../../fhir/search-value';
import { readExpansion, type ListedCode } from '../../../fhir/terminology';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import type { ValueInputProps } from './value-input-props';

const { resources } = texts;
const SUGGESTIONS = 20;
const PAUSE_MS = 200;

/** Codes of a value set of which a word begins with the text. A value set that cannot be expanded has none. */
function useCodes(space: Space, valueSet: string | undefined, text: string): readonly ListedCode[] {
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
  return suggestions.data ?? [];
}

/** What a person types is looked for in the displays; a chosen value has its system, which would find nothing. */
const wordsOf = (typed: string): string => typed.slice(typed.lastIndexOf('|') + 1);

export function CodeInput({ space, type, parameter, value, onChange }: ValueInputProps) {
  const definition = useDefinition(space, type);
  const [isUsed, setUsed] = useState(false);
  const typed = toTyped(value);
  const [text] = useDebouncedValue(wordsOf(typed), PAUSE_MS);
  const valueSet = isUsed ? boundValueSet(definition.data ?? undefined, parameter) : undefined;
  const codes = useCodes(space, valueSet, text);
  const byValue = new Map(
    codes.map((each) => [
      `${each.system === '' ? '' : `${escapeValue(each.system)}|`}${escapeValue(each.code)}`,
      each,
    ]),
  );
  return (
    <Autocomplete
      aria-label={resources.value(humanize(parameter.code))}
      placeholder={resources.tokenPlaceholder}
      flex={1}
      miw={140}
      data={[...byValue.keys()]}
      filter={({ options }) => options}
      renderOption={({ option }) => {
        const code = byValue.get(option.value);
        return (
          <div>
            <Text size="sm">{code?.display === '' ? code.code : (code?.display ?? option.value)}</Text>
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {option.value}
            </Text>
          </div>
        );
      }}
      value={typed}
      onFocus={() => setUsed(true)}
      onChange={(changed) => onChange(fromTyped(changed))}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
    />
  );
}
