/** The fields of an account: how the person signs in, who the person is, which rights the person has. */
import { Checkbox, Fieldset, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { texts } from '../../../texts';
import type { UseFormReturnType } from '@mantine/form';
import { lookupRelease, PERSON_TYPES, type UserDraft } from './draft';
import { RecordChoice } from './record-choice';
import { ReleaseScopeSelect } from './release-scope-select';

const words = texts.administration.people;

export interface UserFieldsProps {
  readonly tenant: string;
  readonly form: UseFormReturnType<UserDraft>;
}

export function UserFields({ tenant, form }: UserFieldsProps) {
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <TextInput
          label={words.name}
          description={words.nameHint}
          {...form.getInputProps('name')}
          required
          autoComplete="off"
        />
        <TextInput
          label={words.display}
          description={words.displayHint}
          {...form.getInputProps('display')}
          autoComplete="off"
        />
      </SimpleGrid>
      <Identity tenant={tenant} form={form} />
      <Fieldset legend={words.rights}>
        <Stack gap="sm">
          <Checkbox
            label={words.administrator}
            description={words.administratorHint}
            {...form.getInputProps('isAdministrator', { type: 'checkbox' })}
          />
          <Checkbox
            label={words.auditor}
            description={words.auditorHint}
            {...form.getInputProps('isAuditor', { type: 'checkbox' })}
          />
        </Stack>
      </Fieldset>
    </Stack>
  );
}

function Identity({ tenant, form }: UserFieldsProps) {
  const draft = form.values;
  const space = { tenant, release: lookupRelease(draft.release) };
  return (
    <Fieldset legend={words.identity}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {words.identityHint}
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
          <ReleaseScopeSelect
            label={words.release}
            value={draft.release}
            onChange={(release) => form.setFieldValue('release', release)}
          />
          <Select
            label={words.kind}
            data={[{ value: '', label: words.noIdentity }, ...PERSON_TYPES]}
            value={draft.type}
            onChange={(type) => form.setValues({ type: type ?? '', id: '' })}
            allowDeselect={false}
          />
          {draft.type === '' ? null : (
            <RecordChoice
              key={`${draft.type} ${space.release}`}
              space={space}
              type={draft.type}
              label={words.person}
              value={draft.id}
              onChange={(id) => form.setFieldValue('id', id)}
              isRequired
            />
          )}
        </SimpleGrid>
        {draft.type === '' || draft.type === 'Patient' ? null : (
          <RecordChoice
            key={space.release}
            space={space}
            type="Patient"
            label={words.patient}
            description={words.patientHint}
            value={draft.patient}
            onChange={(patient) => form.setFieldValue('patient', patient)}
          />
        )}
      </Stack>
    </Fieldset>
  );
}
