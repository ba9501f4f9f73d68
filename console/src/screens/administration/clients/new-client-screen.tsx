/** Registers an app or a program, and shows its secret once. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { createClientOf, type MadeClient } from '../../../api/administration';
import { FailureView } from '../../../layout/failure-view';
import { administrationPath } from '../../../place';
import { texts } from '../../../texts';
import { ScreenHeading } from '../heading';
import { useChange, useTenant } from '../queries';
import { useTop } from '../use-top';
import { ClientFields } from './client-fields';
import { ConnectionDetails } from './connection-details';
import { areKeys, changesOf, newDraft } from './draft';

const { form, clientScreens: words } = texts.administration;

export function NewClientScreen() {
  const tenant = useTenant();
  const [draft, setDraft] = useState(() => newDraft('app'));
  const creation = useChange(() => createClientOf(tenant, changesOf(draft)));
  const made = creation.data;
  if (made !== undefined) return <MadeClientView tenant={tenant} made={made} />;
  const areKeysWrong = draft.kind === 'keys' && draft.jwks.trim() !== '' && !areKeys(draft.jwks);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!areKeysWrong) creation.mutate(undefined);
      }}
    >
      <Stack gap="lg">
        <ScreenHeading place={tenant} />
        <ClientFields tenant={tenant} draft={draft} change={setDraft} isNew />
        {creation.isError ? <FailureView error={creation.error} /> : null}
        <Group gap="sm">
          <Button type="submit" loading={creation.isPending} disabled={areKeysWrong}>
            {form.create}
          </Button>
          <Button component={Link} to={administrationPath(tenant, 'clients')} variant="default">
            {texts.common.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function MadeClientView({ tenant, made }: { readonly tenant: string; readonly made: MadeClient }) {
  useTop();
  return (
    <Stack gap="md">
      <ScreenHeading title={made.name} place={tenant} />
      <Alert color="teal" role="status" title={words.created(made.name)}>
        {made.secret === undefined ? null : <Text size="sm">{words.secretOnce}</Text>}
      </Alert>
      <ConnectionDetails tenant={tenant} client={made} secret={made.secret?.secret} />
      <Group>
        <Button component={Link} to={administrationPath(tenant, `clients/${made.id}`)} variant="default">
          {words.toClient}
        </Button>
      </Group>
    </Stack>
  );
}
