/** Looks up a code, and checks whether a value set has it. The address of the browser has the question. */
import {
  Autocomplete,
  Button,
  Group,
  Paper,
  Stack,
  TextInput,
  Title,
  type AutocompleteProps,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import type { Kind } from '../../api/terminology';
import type { Space } from '../../place';
import { texts } from '../../texts';
import { CheckResult } from './check-result';
import { useDefinitions } from './use-definitions';

const { terminology } = texts;
const SUGGESTIONS = 20;

export function CheckCode({ space }: { readonly space: Space }) {
  const [parameters] = useSearchParams();
  const asked = {
    system: parameters.get('system') ?? '',
    code: parameters.get('code') ?? '',
    valueSet: parameters.get('valueSet') ?? '',
  };
  return (
    <Paper withBorder p="sm">
      <Title order={2} size="h4" mb="xs">
        {terminology.check}
      </Title>
      <Stack gap="md">
        <CheckForm key={JSON.stringify(asked)} space={space} asked={asked} />
        {asked.code === '' ? null : <CheckResult space={space} {...asked} />}
      </Stack>
    </Paper>
  );
}

interface Question {
  readonly system: string;
  readonly code: string;
  readonly valueSet: string;
}

function CheckForm({ space, asked }: { readonly space: Space; readonly asked: Question }) {
  const [, setParameters] = useSearchParams();
  const form = useForm({
    initialValues: asked,
    validate: {
      system: (system: string, { valueSet }: Question) =>
        system.trim() === '' && valueSet.trim() === '' ? terminology.systemNeeded : null,
    },
  });
  const ask = (question: Question): void =>
    setParameters((before) => {
      for (const name of ['system', 'code', 'valueSet'] as const) {
        const value = question[name].trim();
        if (value === '') before.delete(name);
        else before.set(name, value);
      }
      return before;
    });
  return (
    <form onSubmit={form.onSubmit(ask)}>
      <Group align="start" gap="sm">
        <UrlInput
          space={space}
          kind="CodeSystem"
          label={terminology.system}
          value={form.values.system}
          input={form.getInputProps('system')}
        />
        <TextInput
          label={terminology.code}
          {...form.getInputProps('code')}
          required
          withAsterisk={false}
          w={{ base: '100%', xs: 160 }}
        />
        <UrlInput
          space={space}
          kind="ValueSet"
          label={terminology.valueSet}
          value={form.values.valueSet}
          input={form.getInputProps('valueSet')}
        />
        <Button type="submit" mt={{ base: 0, xs: 24 }}>
          {terminology.checkButton}
        </Button>
      </Group>
    </form>
  );
}

/** The url of a definition, with suggestions by its name. */
function UrlInput({
  space,
  kind,
  label,
  value,
  input,
}: {
  readonly space: Space;
  readonly kind: Kind;
  readonly label: string;
  readonly value: string;
  readonly input: AutocompleteProps;
}) {
  const [isUsed, setUsed] = useState(false);
  const definitions = useDefinitions(space, kind, isUsed);
  const wanted = value.trim().toLowerCase();
  const found = (definitions.data?.definitions ?? []).filter(
    ({ name, url }) => url !== '' && `${name}\n${url}`.toLowerCase().includes(wanted),
  );
  const urls = [...new Set(found.map(({ url }) => url))].slice(0, SUGGESTIONS);
  return (
    <Autocomplete
      label={label}
      {...input}
      data={urls}
      filter={({ options }) => options}
      onFocus={() => setUsed(true)}
      flex={1}
      miw={{ base: '100%', xs: 220 }}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
    />
  );
}
