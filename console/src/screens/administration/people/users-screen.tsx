/** The people who sign in to a tenant. */
import { Anchor, Badge, Button, Group, Stack, Table, Text } from '@mantine/core';
import { IconPlus } from '../../../layout/icons/icons';
import { Link } from 'react-router';
import type { User } from '../../../api/administration';
import { administrationPath, resourcePath } from '../../../place';
import { texts } from '../../../texts';
import { AdministrationLoaded } from '../failure';
import { ScreenHeading } from '../heading';
import { useTenant, useUsers } from '../queries';
import { StatusBadge } from '../status-badge';
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
      <AdministrationLoaded query={users}>
        {(list) =>
          list.length === 0 ? <Text>{words.empty}</Text> : <UserTable tenant={tenant} users={list} />
        }
      </AdministrationLoaded>
    </Stack>
  );
}

function UserTable({ tenant, users }: { readonly tenant: string; readonly users: readonly User[] }) {
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table highlightOnHover>
        <Table.Caption>{words.caption}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.name}</Table.Th>
            <Table.Th>{words.display}</Table.Th>
            <Table.Th>{words.identityShort}</Table.Th>
            <Table.Th>{words.rights}</Table.Th>
            <Table.Th>{form.status}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {users.map((user) => (
            <Table.Tr key={user.id}>
              <Table.Td>
                <Anchor component={Link} to={administrationPath(tenant, `users/${user.id}`)} fw={600}>
                  {user.name}
                </Anchor>
              </Table.Td>
              <Table.Td>{user.display}</Table.Td>
              <Table.Td>
                <IdentityLinks tenant={tenant} user={user} />
              </Table.Td>
              <Table.Td>
                <Group gap={4}>
                  {user.administrator === true ? <Right label={words.administrator} /> : null}
                  {user.auditor === true ? <Right label={words.auditor} /> : null}
                </Group>
              </Table.Td>
              <Table.Td>
                <StatusBadge isGood={!user.disabled} label={user.disabled ? form.disabled : form.active} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
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
