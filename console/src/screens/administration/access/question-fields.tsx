/** The fields of a question about access: who, and what. */
import { Select, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { useClients, useUsers } from '../queries';
import { useTypes } from '../use-types';
import type { QuestionDraft } from './access-question';

const words = texts.administration.accessScreen;

export function QuestionFields({
  space,
  form,
  anybody,
}: {
  readonly space: Space;
  readonly form: UseFormReturnType<QuestionDraft>;
  /** The words for no client. */
  readonly anybody: string;
}) {
  const clients = useClients(space.tenant);
  const users = useUsers(space.tenant);
  const types = useTypes(space);
  const { type } = form.values;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm" verticalSpacing="xs">
      <Select
        label={words.client}
        data={[
          { value: '', label: anybody },
          ...(clients.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        {...form.getInputProps('client')}
        searchable
        allowDeselect={false}
      />
      <Select
        label={words.user}
        data={[
          { value: '', label: words.noUser },
          ...(users.data ?? []).map(({ id, name, display }) => ({
            value: id,
            label: name === display ? name : `${display} (${name})`,
          })),
        ]}
        {...form.getInputProps('user')}
        searchable
        allowDeselect={false}
      />
      {form.values.user === '' ? null : (
        <TextInput
          label={words.patient}
          description={words.patientHint}
          {...form.getInputProps('patient')}
          autoComplete="off"
        />
      )}
      <Select
        label={words.type}
        data={types.includes(type) ? [...types] : [type, ...types]}
        {...form.getInputProps('type')}
        searchable
        allowDeselect={false}
      />
      <TextInput
        label={words.id}
        description={words.idHint}
        {...form.getInputProps('id')}
        autoComplete="off"
      />
      <Textarea
        label={words.content}
        description={words.contentHint}
        {...form.getInputProps('content')}
        autosize
        minRows={1}
        maxRows={12}
        spellCheck={false}
      />
    </SimpleGrid>
  );
}
