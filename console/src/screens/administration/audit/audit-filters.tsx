/** The filters of the audit trail. */
import { Autocomplete, Button, Checkbox, Group, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { texts } from '../../../texts';
import { useClients, useUsers } from '../queries';
import { NO_FILTERS, type AuditFilters } from './audit-query';

const words = texts.administration.auditScreen;

const optionsOf = (labels: Readonly<Record<string, string>>): { value: string; label: string }[] => [
  { value: '', label: words.any },
  ...Object.entries(labels).map(([value, label]) => ({ value, label })),
];

const SELECTS = [
  { name: 'action', label: words.action, data: optionsOf(words.actions) },
  { name: 'outcome', label: words.outcome, data: optionsOf(words.outcomes) },
  { name: 'kind', label: words.kind, data: optionsOf(words.kinds) },
] as const;

const FIELDS = [
  { name: 'what', label: words.record, hint: words.recordHint },
  { name: 'request', label: words.request, hint: words.requestHint },
] as const;

export function AuditFilterForm({
  tenant,
  filters,
  apply,
}: {
  readonly tenant: string;
  readonly filters: AuditFilters;
  readonly apply: (filters: AuditFilters) => void;
}) {
  const draft = useForm({ initialValues: filters });
  const clients = useClients(tenant);
  const users = useUsers(tenant);
  const names = new Set([
    ...(users.data ?? []).map(({ name }) => name),
    ...(clients.data ?? []).map(({ name }) => name),
  ]);
  return (
    <form onSubmit={draft.onSubmit(apply)}>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm" verticalSpacing="xs">
        <Autocomplete
          label={words.person}
          placeholder={words.personHint}
          data={[...names]}
          {...draft.getInputProps('who')}
        />
        {FIELDS.map(({ name, label, hint }) => (
          <TextInput
            key={name}
            label={label}
            placeholder={hint}
            {...draft.getInputProps(name)}
            autoComplete="off"
          />
        ))}
        {SELECTS.map(({ name, label, data }) => (
          <Select
            key={name}
            label={label}
            data={[...data]}
            {...draft.getInputProps(name)}
            allowDeselect={false}
          />
        ))}
        {(['from', 'to'] as const).map((name) => (
          <TextInput key={name} type="datetime-local" label={words[name]} {...draft.getInputProps(name)} />
        ))}
      </SimpleGrid>
      <Checkbox
        mt="sm"
        label={words.each}
        description={words.eachHint}
        checked={draft.values.each === 'true'}
        onChange={(event) => draft.setFieldValue('each', event.currentTarget.checked ? 'true' : '')}
      />
      <Group gap="sm" mt="sm">
        <Button type="submit">{words.apply}</Button>
        <Button
          variant="default"
          onClick={() => {
            draft.setValues(NO_FILTERS);
            apply(NO_FILTERS);
          }}
        >
          {words.reset}
        </Button>
      </Group>
    </form>
  );
}
