/** The guided path: an app or a program gets access to the record of one patient. */
import { Box, Group, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useRef, useState } from 'react';
import { useSpace } from '../../../layout/current-screen';
import { texts } from '../../../texts';
import { Part, ScreenHeading } from '../../../layout/heading';
import { RecordChoice } from '../people/record-choice';
import { useChange, useClients, useTenant, useUsers } from '../queries';
import { ChangeForm } from '../change-form';
import { RadioCards } from '../radio-cards';
import { ReleaseChoice } from '../release-choice';
import { hasPatientScopes, problemOf, suggestName, type AccessDraft, type StepProps } from './access-draft';
import { AccountStep } from './account-step';
import { AppStep } from './app-step';
import { giveToApp, giveToProgram, type Made } from './give';
import { GivenAccessView } from './given-access-view';

const words = texts.administration.giveAccess;
const WAYS = ['app', 'program'] as const;

export function GiveAccessScreen() {
  const tenant = useTenant();
  const { release } = useSpace();
  const [round, setRound] = useState(0);
  return <Path key={round} tenant={tenant} release={release} again={() => setRound(round + 1)} />;
}

function Path({
  tenant,
  release,
  again,
}: Pick<AccessDraft, 'release'> & { readonly tenant: string; readonly again: () => void }) {
  const clients = useClients(tenant);
  const users = useUsers(tenant);
  const form = useForm<AccessDraft>({
    initialValues: {
      ...{ way: 'app', release, patient: '', client: '', name: '', redirectUris: '', canWrite: false },
      ...{ user: '', userName: '', email: '' },
    },
  });
  const draft = form.values;
  const [title, setTitle] = useState('');
  const made = useRef<Made>({});
  const isProgram = draft.way === 'program';
  const user = users.data?.find(({ id }) => id === draft.user);
  const client = clients.data?.find(({ id }) => id === draft.client);
  const giving = useChange(() =>
    isProgram
      ? giveToProgram(tenant, draft)
      : giveToApp(tenant, draft, { made: made.current, display: title, user }),
  );
  const problem = user === undefined ? undefined : problemOf(user, draft);
  const isPossible =
    isProgram ||
    ((client === undefined || hasPatientScopes(client.scopes)) &&
      problem !== 'ownRecord' &&
      problem !== 'wrongRelease');
  const choosePatient = (patient: string, name: string): void => {
    const isSuggested = draft.userName === suggestName(title);
    setTitle(name);
    form.setValues({ patient, userName: isSuggested ? suggestName(name) : draft.userName });
  };
  if (giving.data !== undefined)
    return <GivenAccessView tenant={tenant} draft={draft} given={giving.data} title={title} again={again} />;
  return (
    <Box maw={900}>
      <ChangeForm
        form={form}
        change={giving}
        send={() => giving.mutate(undefined)}
        action={words.submit}
        button={{ disabled: !isPossible }}
      >
        <ScreenHeading place={tenant} intro={words.intro} />
        <WayChoice form={form} />
        <Part title={words.patientStep}>
          <Group gap="sm" align="end">
            <div style={{ flex: '1 1 280px', maxWidth: 520 }}>
              <RecordChoice
                key={draft.release}
                space={{ tenant, release: draft.release }}
                type="Patient"
                label={words.patient}
                value={draft.patient}
                onChange={choosePatient}
                isRequired
              />
            </div>
            <ReleaseChoice
              value={draft.release}
              onChange={(chosen) => form.setValues({ release: chosen, patient: '' })}
            />
          </Group>
        </Part>
        <AppStep form={form} clients={clients.data ?? []} />
        {isProgram ? (
          <Text size="sm" c="dimmed">
            {words.policyNote}
          </Text>
        ) : (
          <AccountStep form={form} users={users.data ?? []} />
        )}
      </ChangeForm>
    </Box>
  );
}

function WayChoice({ form }: StepProps) {
  const choices = WAYS.map((value) => ({ value, title: words.ways[value], hint: words.wayHints[value] }));
  return (
    <RadioCards
      label={words.way}
      value={form.values.way}
      choices={choices}
      onChoose={(way) => form.setValues({ way, client: '' })}
    />
  );
}
