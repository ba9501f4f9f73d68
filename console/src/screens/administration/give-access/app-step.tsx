/** Chooses an app, or registers a new app or program. */
import { Alert, Radio, Select, Stack, Textarea, TextInput } from '@mantine/core';
import type { Client } from '../../../api/administration';
import { texts } from '../../../texts';
import { isForPeople, kindOf } from '../clients/kinds';
import { Part } from '../../../layout/heading';
import { hasPatientScopes, type StepProps } from './access-draft';

const { clientScreens, giveAccess: words } = texts.administration;

export function AppStep({ form, clients }: StepProps & { readonly clients: readonly Client[] }) {
  const draft = form.values;
  const isProgram = draft.way === 'program';
  const apps = clients.filter((client) => isForPeople(kindOf(client)) && client.redirectUris.length > 0);
  const chosen = apps.find(({ id }) => id === draft.client);
  return (
    <Part title={isProgram ? words.programStep : words.appStep}>
      <Stack gap="sm">
        {isProgram || apps.length === 0 ? null : (
          <Select
            label={words.which}
            data={[
              { value: '', label: words.newApp },
              ...apps.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            {...form.getInputProps('client')}
            allowDeselect={false}
            maw={520}
          />
        )}
        {chosen !== undefined && !hasPatientScopes(chosen.scopes) ? (
          <Alert color="yellow" p="xs">
            {words.noPatientScopes}
          </Alert>
        ) : null}
        {chosen === undefined ? <NewApp form={form} /> : null}
      </Stack>
    </Part>
  );
}

function NewApp({ form }: StepProps) {
  const draft = form.values;
  const isProgram = draft.way === 'program';
  return (
    <>
      <TextInput
        label={isProgram ? words.programName : words.appName}
        description={isProgram ? undefined : clientScreens.nameHint}
        {...form.getInputProps('name')}
        required
        maw={520}
        autoComplete="off"
      />
      {isProgram ? null : (
        <Textarea
          label={words.redirects}
          description={words.redirectsHint}
          placeholder={clientScreens.redirectsPlaceholder}
          {...form.getInputProps('redirectUris')}
          autosize
          minRows={1}
          required
          maw={520}
          spellCheck={false}
        />
      )}
      <Radio.Group
        label={words.rights}
        value={draft.canWrite ? 'write' : 'read'}
        onChange={(value) => form.setFieldValue('canWrite', value === 'write')}
      >
        <Stack gap={6} mt={6}>
          <Radio value="read" label={words.read} size="sm" />
          <Radio value="write" label={words.write} size="sm" />
        </Stack>
      </Radio.Group>
    </>
  );
}
