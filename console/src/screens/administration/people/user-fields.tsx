/** The fields of an account: how the person signs in, who the person is, which rights the person has. */
import { Checkbox, Fieldset, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { texts } from '../../../texts';
import { lookupRelease, PERSON_TYPES, type UserDraft } from './draft';
import { RecordChoice } from './record-choice';
import { ReleaseScopeSelect } from './release-scope-select';

const words = texts.administration.people;

export interface UserFieldsProps {
  readonly tenant: string;
  readonly draft: UserDraft;
  readonly change: (draft: UserDraft) => void;
}

export function UserFields({ tenant, draft, change }: UserFieldsProps) {
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <TextInput
          label={words.name}
          description={words.nameHint}
          value={draft.name}
          onChange={(event) => change({ ...draft, name: event.currentTarget.value })}
          required
          autoComplete="off"
        />
        <TextInput
          label={words.display}
          description={words.displayHint}
          value={draft.display}
          onChange={(event) => change({ ...draft, display: event.currentTarget.value })}
          autoComplete="off"
        />
      </SimpleGrid>
      <Identity tenant={tenant} draft={draft} change={change} />
      <Fieldset legend={words.rights}>
        <Stack gap="sm">
          <Checkbox
            label={words.administrator}
            description={words.administratorHint}
            checked={draft.isAdministrator}
            onChange={(event) => change({ ...draft, isAdministrator: event.currentTarget.checked })}
          />
          <Checkbox
            label={words.auditor}
            description={words.auditorHint}
            checked={draft.isAuditor}
            onChange={(event) => change({ ...draft, isAuditor: event.currentTarget.checked })}
          />
        </Stack>
      </Fieldset>
    </Stack>
  );
}

function Identity({ tenant, draft, change }: UserFieldsProps) {
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
            onChange={(release) => change({ ...draft, release })}
          />
          <Select
            label={words.kind}
            data={[{ value: '', label: words.noIdentity }, ...PERSON_TYPES]}
            value={draft.type}
            onChange={(type) => change({ ...draft, type: type ?? '', id: '' })}
            allowDeselect={false}
          />
          {draft.type === '' ? null : (
            <RecordChoice
              key={`${draft.type} ${space.release}`}
              space={space}
              type={draft.type}
              label={words.person}
              value={draft.id}
              onChange={(id) => change({ ...draft, id })}
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
            onChange={(patient) => change({ ...draft, patient })}
          />
        )}
      </Stack>
    </Fieldset>
  );
}
