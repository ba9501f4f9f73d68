/** A link by which a person sets the password: made here, and shown once. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { inviteUser, type Invitation, type User } from '../../../api/administration';
import { formatDateTime } from '../../../fhir/format-date';
import { CopyField } from '../../../layout/copy';
import { FailureView } from '../../../layout/failure-view';
import { texts } from '../../../texts';
import { useChange } from '../queries';
import { EmailField } from './email-field';

const words = texts.administration.people.invitation;

export function InvitationLink({
  invitation: { link, expires, problem },
}: {
  readonly invitation: Invitation;
}) {
  if (link === undefined) return <Text size="sm">{words.mailed(formatDateTime(expires))}</Text>;
  return (
    <Stack gap="xs">
      {problem === undefined ? null : <Text size="sm">{problem}</Text>}
      <Text size="sm">{words.once(formatDateTime(expires))}</Text>
      <CopyField what={words.link} value={link} />
    </Stack>
  );
}

/** The button that makes a link, which ends the one before. */
export function Invite({ tenant, user }: { readonly tenant: string; readonly user: User }) {
  const [email, setEmail] = useState('');
  const inviting = useChange(() => inviteUser(tenant, user.id, email));
  const { invited } = user;
  return (
    <Stack gap="sm">
      {invited === undefined || inviting.isSuccess ? null : (
        <Text size="sm">{words.pending(formatDateTime(invited))}</Text>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          inviting.mutate(undefined);
        }}
      >
        <Stack gap="sm">
          <EmailField value={email} onChange={setEmail} />
          <Group>
            <Button type="submit" variant="default" loading={inviting.isPending}>
              {email === '' ? words.make : words.send}
            </Button>
          </Group>
        </Stack>
      </form>
      {inviting.isError ? <FailureView error={inviting.error} /> : null}
      {inviting.isSuccess ? (
        <Alert color="teal" role="status" title={words.made(user.display)}>
          <InvitationLink invitation={inviting.data} />
        </Alert>
      ) : null}
    </Stack>
  );
}
