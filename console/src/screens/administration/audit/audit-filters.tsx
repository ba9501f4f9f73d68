/** The filters of the audit trail. */
import { Autocomplete, Button, Group, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { texts } from '../../../texts';
import { useClients } from '../queries';
import { NO_FILTERS, type AuditFilters } from './audit-query';

const words = texts.administration.auditScreen;

const optionsOf = (labels: Readonly<Record<string, string>>): { value: string; label: string }[] => [
  { value: '', label: words.any },
  ...Object.entries(labels).map(([value, label]) => ({ value, label })),
];

const SELECTS = [
  { name: 'action', label: words.action, data: optionsOf(words.actions) },
  {
    name: 'outcome',
    label: words.outcome,
    data: [...optionsOf(words.outcomes), { value: '4,8,12', label: words.failures }],
  },
  { name: 'kind', label: words.kind, data: optionsOf(words.kinds) },
] as const;

const FIELDS = [
  { name: 'patient', label: words.patient, hint: words.patientHint },
  { name: 'record', label: words.record, hint: words.recordHint },
  { name: 'person', label: words.person, hint: words.personHint },
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
  const names = new Map((clients.data ?? []).map(({ id, name }) => [id, name]));
  return (
    <form onSubmit={draft.onSubmit(apply)}>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3, lg: 5 }} spacing="sm" verticalSpacing="xs">
        {(['from', 'to'] as const).map((name) => (
          <TextInput key={name} type="datetime-local" label={words[name]} {...draft.getInputProps(name)} />
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
        {FIELDS.map(({ name, label, hint }) => (
          <TextInput
            key={name}
            label={label}
            placeholder={hint}
            {...draft.getInputProps(name)}
            autoComplete="off"
          />
        ))}
        <Autocomplete
          label={words.client}
          placeholder={words.clientHint}
          data={[...names.keys()]}
          renderOption={({ option }) => names.get(option.value) ?? option.value}
          {...draft.getInputProps('client')}
        />
      </SimpleGrid>
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
