/** Chooses the account of the person who signs in, or makes one for the patient. */
import { Alert, Select, Stack, Text, TextInput } from '@mantine/core';
import type { User } from '../../../api/administration';
import { texts } from '../../../texts';
import { Part } from '../../../layout/heading';
import { EmailField } from '../people/email-field';
import { patientOf, problemOf, type AccessDraft, type StepProps } from './access-draft';

const { giveAccess: words, people } = texts.administration;

export function AccountStep({ form, users }: StepProps & { readonly users: readonly User[] }) {
  const draft = form.values;
  const chosen = users.find(({ id }) => id === draft.user);
  const usable = users.filter(({ disabled }) => !disabled);
  return (
    <Part title={words.personStep}>
      <Stack gap="sm">
        {usable.length === 0 ? null : (
          <Select
            label={words.account}
            data={[
              { value: '', label: words.newAccount },
              ...usable.map(({ id, name, display }) => ({
                value: id,
                label: name === display ? name : `${display} (${name})`,
              })),
            ]}
            {...form.getInputProps('user')}
            searchable
            allowDeselect={false}
            maw={520}
          />
        )}
        {chosen === undefined ? (
          <>
            <TextInput
              label={words.accountName}
              description={people.nameHint}
              {...form.getInputProps('userName')}
              pattern="\S+"
              required
              maw={520}
              autoComplete="off"
            />
            <EmailField value={draft.email} onChange={(email) => form.setFieldValue('email', email)} />
          </>
        ) : (
          <Consequence draft={draft} user={chosen} />
        )}
      </Stack>
    </Part>
  );
}

function Consequence({ draft, user }: { readonly draft: AccessDraft; readonly user: User }) {
  const problem = problemOf(user, draft);
  const now = `Patient/${patientOf(user) ?? ''}`;
  if (problem === undefined)
    return draft.patient === '' ? null : <Text size="sm">{words.boundNote(`Patient/${draft.patient}`)}</Text>;
  return (
    <Alert color="yellow" p="xs">
      {problem === 'wrongRelease' ? words.wrongRelease : words[problem](now)}
    </Alert>
  );
}
