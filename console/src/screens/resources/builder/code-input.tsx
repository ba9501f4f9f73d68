/** A code, with suggestions from the value set that the element is bound to. */
import { Autocomplete, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { humanize } from '../../../fhir/humanize';
import { boundValueSet } from '../../../fhir/search/search-binding';
import { useDefinition } from '../../../fhir/search/search-definitions';
import { escapeValue } from '../../../../../packages/fhir-values/search-value';
import { fromTyped, toTyped } from '../../../fhir/search/search-value';
import { useCodes } from '../../../fhir/use-codes';
import { texts } from '../../../texts';
import type { ValueInputProps } from './value-input-props';

const { resources } = texts;
const PAUSE_MS = 200;

/** What a person types is looked for in the displays; a chosen value has its system, which would find nothing. */
const wordsOf = (typed: string): string => typed.slice(typed.lastIndexOf('|') + 1);

export function CodeInput({ space, type, parameter, value, onChange }: ValueInputProps) {
  const definition = useDefinition(space, type);
  const [isUsed, setUsed] = useState(false);
  const typed = toTyped(value);
  const [text] = useDebouncedValue(wordsOf(typed), PAUSE_MS);
  const valueSet = isUsed ? boundValueSet(definition.data ?? undefined, parameter) : undefined;
  const codes = useCodes(space, valueSet, text) ?? [];
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
