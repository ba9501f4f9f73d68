/** Registers an app or a program, and shows its secret once. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { createClientOf, type MadeClient } from '../../../api/administration';
import { administrationPath } from '../../../place';
import { texts } from '../../../texts';
import { ScreenHeading } from '../../../layout/heading';
import { useChange, useTenant } from '../queries';
import { useTop } from '../use-top';
import { ChangeForm } from '../change-form';
import { ClientFields, useClientForm } from './client-fields';
import { ConnectionDetails } from './connection-details';
import { changesOf, newDraft, type ClientDraft } from './draft';

const words = texts.administration.clientScreens;

export function NewClientScreen() {
  const tenant = useTenant();
  const form = useClientForm(newDraft('app'));
  const creation = useChange((draft: ClientDraft) => createClientOf(tenant, changesOf(draft)));
  const made = creation.data;
  if (made !== undefined) return <MadeClientView tenant={tenant} made={made} />;
  return (
    <ChangeForm
      form={form}
      change={creation}
      send={(draft) => creation.mutate(draft)}
      action={texts.administration.form.create}
      others={
        <Button component={Link} to={administrationPath(tenant, 'clients')} variant="default">
          {texts.common.cancel}
        </Button>
      }
    >
      <ScreenHeading place={tenant} />
      <ClientFields tenant={tenant} form={form} isNew />
    </ChangeForm>
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
