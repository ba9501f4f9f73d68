/** The filters of the audit trail. */
import { Autocomplete, Button, Group, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../../../texts';
import { useClients } from '../queries';
import { NO_FILTERS, type AuditFilters, type Filter } from './audit-query';

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
  const [draft, setDraft] = useState(filters);
  const clients = useClients(tenant);
  const set = (name: Filter, value: string): void => setDraft({ ...draft, [name]: value });
  const names = new Map((clients.data ?? []).map(({ id, name }) => [id, name]));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        apply(draft);
      }}
    >
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3, lg: 5 }} spacing="sm" verticalSpacing="xs">
        {(['from', 'to'] as const).map((name) => (
          <TextInput
            key={name}
            type="datetime-local"
            label={words[name]}
            value={draft[name]}
            onChange={(event) => set(name, event.currentTarget.value)}
          />
        ))}
        {SELECTS.map(({ name, label, data }) => (
          <Select
            key={name}
            label={label}
            data={[...data]}
            value={draft[name]}
            onChange={(value) => set(name, value ?? '')}
            allowDeselect={false}
          />
        ))}
        {FIELDS.map(({ name, label, hint }) => (
          <TextInput
            key={name}
            label={label}
            placeholder={hint}
            value={draft[name]}
            onChange={(event) => set(name, event.currentTarget.value)}
            autoComplete="off"
          />
        ))}
        <Autocomplete
          label={words.client}
          placeholder={words.clientHint}
          data={[...names.keys()]}
          renderOption={({ option }) => names.get(option.value) ?? option.value}
          value={draft.client}
          onChange={(value) => set('client', value)}
        />
      </SimpleGrid>
      <Group gap="sm" mt="sm">
        <Button type="submit">{words.apply}</Button>
        <Button
          variant="default"
          onClick={() => {
            setDraft(NO_FILTERS);
            apply(NO_FILTERS);
          }}
        >
          {words.reset}
        </Button>
      </Group>
    </form>
  );
}
