/** Chooses the record of a person by name. Where records cannot be read, its id is typed. */
import { Group, Select, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ID } from '../../../../../packages/fhir-values/id';
import { Failure } from '../../../api/failure';
import { SignInButton } from '../../../layout/sign-in-button';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { findPeople } from './find-people';

const words = texts.administration.people;
const WAIT_MS = 200;

export interface RecordChoiceProps {
  readonly space: Space;
  readonly type: string;
  readonly label: string;
  readonly description?: string;
  /** Id of the chosen record; empty: none. */
  readonly value: string;
  readonly onChange: (id: string, title: string) => void;
  readonly isRequired?: boolean;
}

export function RecordChoice(props: RecordChoiceProps) {
  const { space, type, label, description, value, onChange, isRequired = false } = props;
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, WAIT_MS);
  const [chosen, setChosen] = useState<{ readonly value: string; readonly label: string }>();
  const isChosen = chosen?.value === value && chosen.label === search;
  const wanted = isChosen ? '' : search;
  const found = useQuery({
    queryKey: ['people', space, type, wanted],
    queryFn: ({ signal }) => findPeople(space, type, { words: wanted, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  if (found.isError) return <TypedId {...props} error={found.error} />;
  const details = new Map((found.data ?? []).map((each) => [each.id, each.details]));
  const options = (found.data ?? []).map(({ id, title }) => ({ value: id, label: title }));
  const isListed = value === '' || options.some((option) => option.value === value);
  const kept = chosen?.value === value ? chosen : { value, label: value };
  return (
    <Select
      label={label}
      description={description}
      placeholder={words.searchHint}
      data={isListed ? options : [kept, ...options]}
      value={value === '' ? null : value}
      onChange={(id, option) => {
        const name = option?.label ?? '';
        setChosen(id === null ? undefined : { value: id, label: name });
        onChange(id ?? '', name);
      }}
      searchable
      clearable={!isRequired}
      onSearchChange={setTyped}
      filter={({ options: all }) => all}
      nothingFoundMessage={found.isFetching ? texts.common.loading : words.nobodyFound}
      required={isRequired}
      renderOption={({ option }) => (
        <div>
          <Text size="sm">{option.label}</Text>
          <Text size="xs" c="dimmed">
            {details.get(option.value) ?? option.value}
          </Text>
        </div>
      )}
    />
  );
}

function TypedId({
  space,
  type,
  label,
  value,
  onChange,
  isRequired = false,
  error,
}: RecordChoiceProps & { readonly error: Error }) {
  const isUnknown = error instanceof Failure && error.status === 401;
  return (
    <div>
      <Group gap="sm" align="end">
        <TextInput
          label={`${label}: ${words.recordId} (${type})`}
          description={words.cannotSearch}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value.trim(), '')}
          pattern={ID}
          required={isRequired}
          flex="1 1 240px"
        />
        {isUnknown ? (
          <SignInButton space={space} label={words.signInToSearch} variant="default" size="sm" />
        ) : null}
      </Group>
      <Text size="xs" c="dimmed" mt={4}>
        {error.message}
      </Text>
    </div>
  );
}
