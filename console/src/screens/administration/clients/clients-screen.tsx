/** The apps and programs of a tenant. */
import { Anchor, Button, Code, Stack, Table, Text } from '@mantine/core';
import { IconPlus } from '../../../layout/icons/icons';
import { Link } from 'react-router';
import type { Client } from '../../../api/administration';
import { administrationPath } from '../../../place';
import { texts } from '../../../texts';
import { AdministrationLoaded } from '../failure';
import { ScreenHeading } from '../heading';
import { useClients, useTenant } from '../queries';
import { StatusBadge } from '../status-badge';
import { kindOf } from './kinds';

const { form, clientScreens: words, tenant: tasks } = texts.administration;

export function ClientsScreen() {
  const tenant = useTenant();
  const clients = useClients(tenant);
  return (
    <Stack gap="md">
      <ScreenHeading place={tenant} intro={words.intro}>
        <Button component={Link} to={administrationPath(tenant, 'give-access')} variant="default">
          {tasks.giveAccess}
        </Button>
        <Button
          component={Link}
          to={administrationPath(tenant, 'clients/new')}
          leftSection={<IconPlus size={16} aria-hidden />}
        >
          {words.new}
        </Button>
      </ScreenHeading>
      <AdministrationLoaded query={clients}>
        {(list) =>
          list.length === 0 ? <Text>{words.empty}</Text> : <ClientTable tenant={tenant} clients={list} />
        }
      </AdministrationLoaded>
    </Stack>
  );
}

function ClientTable({ tenant, clients }: { readonly tenant: string; readonly clients: readonly Client[] }) {
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table highlightOnHover>
        <Table.Caption>{words.caption}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.name}</Table.Th>
            <Table.Th>{words.kindShort}</Table.Th>
            <Table.Th>{words.chosen}</Table.Th>
            <Table.Th>{form.status}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {clients.map((client) => (
            <Table.Tr key={client.id}>
              <Table.Td>
                <Anchor component={Link} to={administrationPath(tenant, `clients/${client.id}`)} fw={600}>
                  {client.name}
                </Anchor>
                <Text size="xs" c="dimmed">
                  {client.id}
                </Text>
              </Table.Td>
              <Table.Td>{words.kinds[kindOf(client)]}</Table.Td>
              <Table.Td>
                {client.scopes.length === 0 ? null : <Code>{client.scopes.join(' ')}</Code>}
              </Table.Td>
              <Table.Td>
                <StatusBadge
                  isGood={!client.disabled}
                  label={client.disabled ? form.disabled : form.active}
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
