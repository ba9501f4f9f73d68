/** A reference, with a look-up of its target by name. */
import { Autocomplete, Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { textOf, type JsonObject } from '../../../api/json';
import { searchRecords } from '../../../api/records';
import { formatTitle } from '../../../fhir/format';
import { humanize } from '../../../fhir/humanize';
import { parseReference } from '../../../fhir/reference';
import { useRecordName, wordsOf } from '../../../fhir/render/use-names';
import { mainParameters } from '../../../fhir/search-columns';
import { useDefinition, useSearchParameters } from '../../../fhir/search-definitions';
import type { SearchParameter } from '../../../fhir/search-parameters';
import { formatQuery } from '../../../fhir/search-query';
import { escapeValue } from '../../../../../packages/fhir-values/search-value';
import { fromTyped, toTyped } from '../../../fhir/search-value';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import type { ValueInputProps } from './value-input-props';

const { resources } = texts;
const SUGGESTIONS = 10;
const PAUSE_MS = 250;

/** The parameter that finds a record by what people call it: its name, or the words of its code. */
function namingQuery(parameters: readonly SearchParameter[], text: string): string | undefined {
  const named = parameters.find(({ type }) => type === 'string');
  const coded = parameters.find(({ type, code }) => type === 'token' && code !== '_id');
  const parameter = named ?? coded;
  if (text === '' || parameter === undefined) return text === '' ? '' : undefined;
  const modifier = parameter === named ? '' : 'text';
  const values = [escapeValue(text)];
  return formatQuery({
    criteria: [{ kind: 'value', name: parameter.code, modifier, values }],
    sort: [],
    includes: [],
    count: undefined,
    cursor: undefined,
  });
}

function useTargets(space: Space, target: string, text: string): readonly JsonObject[] {
  const { parameters } = useSearchParameters(space, target);
  const definition = useDefinition(space, target);
  const main = mainParameters(definition.data ?? undefined, parameters, parameters.length);
  const query = namingQuery(main, text);
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

export function ReferenceInput({ space, parameter, modifier, value, onChange }: ValueInputProps) {
  const label = humanize(parameter.code);
  const typed = toTyped(value);
  const [written] = typed.split('/');
  const { targets } = parameter;
  const stated = targets.find((each) => each === modifier || each === written);
  const [chosen, setChosen] = useState<string>();
  const target = stated ?? chosen ?? targets.find((each) => each === 'Patient') ?? targets[0] ?? '';
  const [isUsed, setUsed] = useState(false);
  const [settled] = useDebouncedValue(typed, PAUSE_MS);
  const text = settled.slice(settled.indexOf('/') + 1);
  const records = useTargets(space, isUsed ? target : '', text);
  const titles = new Map(
    records.map((record) => [
      `${textOf(record['resourceType']) ?? ''}/${textOf(record['id']) ?? ''}`,
      formatTitle(record),
    ]),
  );
  const isRecord = parseReference(settled, '').kind === 'record';
  const name = wordsOf(useRecordName(space, isRecord ? settled : undefined));
  return (
    <>
      {targets.length > 1 ? (
        <Select
          aria-label={resources.targetType(label)}
          data={targets}
          value={target}
          onChange={(type) => {
            setChosen(type ?? undefined);
            onChange('');
          }}
          allowDeselect={false}
          searchable
          w={140}
        />
      ) : null}
      <Autocomplete
        aria-label={resources.value(label)}
        placeholder={resources.referencePlaceholder}
        flex={1}
        miw={140}
        data={[...titles.keys()]}
        filter={({ options }) => options}
        renderOption={({ option }) => (
          <div>
            <Text size="sm">{titles.get(option.value) ?? option.value}</Text>
            <Text size="xs" c="dimmed">
              {option.value}
            </Text>
          </div>
        )}
        // The name of the record whose address stands there.
        description={settled === typed ? name : undefined}
        inputWrapperOrder={['input', 'description']}
        value={typed}
        onFocus={() => setUsed(true)}
        onChange={(changed) => onChange(fromTyped(changed.trimStart()))}
      />
    </>
  );
}
