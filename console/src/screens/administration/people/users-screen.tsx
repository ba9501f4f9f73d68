/** The people who sign in to a tenant. */
import { Anchor, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '../../../layout/icons/icons';
import { Link } from 'react-router';
import type { User } from '../../../api/administration';
import { RecordTable } from '../../../layout/record-table';
import { administrationPath, resourcePath } from '../../../place';
import { texts } from '../../../texts';
import { ScreenHeading } from '../../../layout/heading';
import { useTenant, useUsers } from '../queries';
import { EnabledBadge } from '../status-badge';
import { lookupRelease } from './draft';

const { form, people: words } = texts.administration;

export function UsersScreen() {
  const tenant = useTenant();
  const users = useUsers(tenant);
  return (
    <Stack gap="md">
      <ScreenHeading place={tenant} intro={words.intro}>
        <Button
          component={Link}
          to={administrationPath(tenant, 'users/new')}
          leftSection={<IconPlus size={16} aria-hidden />}
        >
          {words.new}
        </Button>
      </ScreenHeading>
      <RecordTable
        query={users}
        empty={words.empty}
        caption={words.caption}
        hasCaption
        minWidth={640}
        keyOf={({ id }) => id}
        columns={[
          {
            title: words.name,
            cell: ({ id, name }) => (
              <Anchor component={Link} to={administrationPath(tenant, `users/${id}`)} fw={600}>
                {name}
              </Anchor>
            ),
          },
          { title: words.display, cell: ({ display }) => display },
          { title: words.identityShort, cell: (user) => <IdentityLinks tenant={tenant} user={user} /> },
          {
            title: words.rights,
            cell: ({ administrator, auditor }) => (
              <Group gap={4}>
                {administrator === true ? <Right label={words.administrator} /> : null}
                {auditor === true ? <Right label={words.auditor} /> : null}
              </Group>
            ),
          },
          {
            title: form.status,
            cell: ({ disabled, invited, secondFactor }) => (
              <>
                <EnabledBadge isDisabled={disabled} />
                {invited === undefined ? null : <Text size="xs">{words.invitation.short}</Text>}
                {secondFactor ? <Text size="xs">{words.secondFactor.title}</Text> : null}
              </>
            ),
          },
        ]}
      />
    </Stack>
  );
}

function Right({ label }: { readonly label: string }) {
  return (
    <Badge variant="default" tt="none">
      {label}
    </Badge>
  );
}

function IdentityLinks({ tenant, user }: { readonly tenant: string; readonly user: User }) {
  const space = { tenant, release: lookupRelease(user.release) };
  const [type = '', id = ''] = (user.fhirUser ?? '').split('/');
  return (
    <>
      {user.fhirUser === null ? (
        words.noIdentity
      ) : (
        <Anchor component={Link} to={resourcePath(space, type, id)} size="sm">
          {user.fhirUser}
        </Anchor>
      )}
      {user.patient === null ? null : (
        <Text size="xs">
          {words.patientShort}:{' '}
          <Anchor component={Link} to={resourcePath(space, 'Patient', user.patient)} size="xs">
            {user.patient}
          </Anchor>
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {words.releases[user.release]}
      </Text>
    </>
  );
}
