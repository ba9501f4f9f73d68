/** The end of the guided path: what to enter in the app, what the person needs, and a test. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { administrationPath } from '../../../place';
import { texts } from '../../../texts';
import { ConnectionDetails } from '../clients/connection-details';
import { Part, ScreenHeading } from '../../../layout/heading';
import { Invited } from '../people/invited-user';
import { useTop } from '../use-top';
import type { AccessDraft } from './access-draft';
import type { GivenAccess } from './give';

const { clientScreens, giveAccess: words } = texts.administration;

export function GivenAccessView({
  tenant,
  draft,
  given,
  title,
  again,
}: {
  readonly tenant: string;
  readonly draft: AccessDraft;
  readonly given: GivenAccess;
  /** The name of the patient. */
  readonly title: string;
  readonly again: () => void;
}) {
  useTop();
  const { client, secret, user, invitation, isInvited, policy } = given;
  const patient = title === '' ? `Patient/${draft.patient}` : `${title} (Patient/${draft.patient})`;
  return (
    <Stack gap="lg" maw={900}>
      <ScreenHeading title={words.doneTitle} place={tenant} />
      <Alert color="teal" role="status">
        <Stack gap={4}>
          <Text size="sm">
            {user === undefined
              ? words.doneProgram(client.name, patient)
              : words.doneApp(client.name, patient)}
          </Text>
          {policy === undefined ? null : <Text size="sm">{words.policyMade(policy)}</Text>}
          {secret === undefined ? null : <Text size="sm">{clientScreens.secretOnce}</Text>}
        </Stack>
      </Alert>
      {user === undefined ? null : (
        <Part title={words.person}>
          {isInvited === true ? (
            <Stack gap="xs">
              <Text size="sm">{words.personInvited(user.name)}</Text>
              <Invited tenant={tenant} user={user} invitation={invitation} />
            </Stack>
          ) : (
            <Text size="sm">{words.personExisting(user.name)}</Text>
          )}
        </Part>
      )}
      <ConnectionDetails
        tenant={tenant}
        client={client}
        secret={secret}
        first={draft.release}
        path={`Patient/${draft.patient}`}
      />
      <Group gap="sm">
        <Button onClick={again}>{words.again}</Button>
        <Button component={Link} to={administrationPath(tenant, `clients/${client.id}`)} variant="default">
          {words.openClient}
        </Button>
      </Group>
    </Stack>
  );
}
