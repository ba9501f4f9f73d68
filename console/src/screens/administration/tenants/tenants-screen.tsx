/** All tenants of the server. */
import { Anchor, Button, Stack } from '@mantine/core';
import { IconPlus } from '../../../layout/icons/icons';
import { useDisclosure } from '@mantine/hooks';
import { Link } from 'react-router';
import { formatDateTime } from '../../../fhir/format-date';
import { RecordTable } from '../../../layout/record-table';
import { operatorPath } from '../../../place';
import { texts } from '../../../texts';
import { ScreenHeading } from '../../../layout/heading';
import { useTenants } from '../queries';
import { StatusBadge } from '../status-badge';
import { NewTenant } from './new-tenant';

const { form, tenants: words } = texts.administration;

export function TenantsScreen() {
  const tenants = useTenants();
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <Stack gap="md">
      <ScreenHeading intro={words.intro}>
        {tenants.isSuccess ? (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
            {words.new}
          </Button>
        ) : null}
      </ScreenHeading>
      <RecordTable
        query={tenants}
        caption={words.caption}
        hasCaption
        minWidth={480}
        keyOf={({ name }) => name}
        columns={[
          {
            title: form.name,
            cell: ({ name }) => (
              <Anchor component={Link} to={operatorPath(name)} fw={600} aria-label={words.open(name)}>
                {name}
              </Anchor>
            ),
          },
          { title: words.display, cell: ({ display }) => display },
          {
            title: form.status,
            cell: ({ status }) => <StatusBadge isGood={status === 'active'} label={words.status(status)} />,
          },
          { title: form.created, cell: ({ created }) => formatDateTime(created) },
        ]}
      />
      {isOpen ? <NewTenant close={close} /> : null}
    </Stack>
  );
}
