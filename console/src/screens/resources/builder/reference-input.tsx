/** A reference, with a look-up of its target by name. */
import { Autocomplete, Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { textOf } from '../../../api/json';
import { formatTitle } from '../../../fhir/format';
import { humanize } from '../../../fhir/humanize';
import { parseReference } from '../../../fhir/reference';
import { useRecordName, wordsOf } from '../../../fhir/render/use-names';
import { useTargets } from '../../../fhir/use-targets';
import { fromTyped, toTyped } from '../../../fhir/search/search-value';
import { texts } from '../../../texts';
import type { ValueInputProps } from './value-input-props';

const { resources } = texts;
const PAUSE_MS = 250;

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
