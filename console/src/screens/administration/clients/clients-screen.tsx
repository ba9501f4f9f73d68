/** The apps and programs of a tenant. */
import { Anchor, Button, Code, Stack, Text } from '@mantine/core';
import { IconPlus } from '../../../layout/icons/icons';
import { Link } from 'react-router';
import { RecordTable } from '../../../layout/record-table';
import { administrationPath } from '../../../place';
import { texts } from '../../../texts';
import { ScreenHeading } from '../../../layout/heading';
import { useClients, useTenant } from '../queries';
import { EnabledBadge } from '../status-badge';
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
      <RecordTable
        query={clients}
        empty={words.empty}
        caption={words.caption}
        hasCaption
        minWidth={640}
        keyOf={({ id }) => id}
        columns={[
          {
            title: words.name,
            cell: ({ id, name }) => (
              <>
                <Anchor component={Link} to={administrationPath(tenant, `clients/${id}`)} fw={600}>
                  {name}
                </Anchor>
                <Text size="xs" c="dimmed">
                  {id}
                </Text>
              </>
            ),
          },
          { title: words.kindShort, cell: (client) => words.kinds[kindOf(client)] },
          {
            title: words.chosen,
            cell: ({ scopes }) => (scopes.length === 0 ? null : <Code>{scopes.join(' ')}</Code>),
          },
          { title: form.status, cell: ({ disabled }) => <EnabledBadge isDisabled={disabled} /> },
        ]}
      />
    </Stack>
  );
}
