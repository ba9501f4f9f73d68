/** All tenants of the server. */
import { Anchor, Button, Stack, Table } from '@mantine/core';
import { IconPlus } from '../../../layout/icons/icons';
import { useDisclosure } from '@mantine/hooks';
import { Link } from 'react-router';
import type { Tenant } from '../../../api/administration';
import { formatDateTime } from '../../../fhir/format-date';
import { administrationPath } from '../../../place';
import { texts } from '../../../texts';
import { AdministrationLoaded } from '../failure';
import { ScreenHeading } from '../heading';
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
      <AdministrationLoaded query={tenants}>{(list) => <TenantTable tenants={list} />}</AdministrationLoaded>
      {isOpen ? <NewTenant close={close} /> : null}
    </Stack>
  );
}

function TenantTable({ tenants }: { readonly tenants: readonly Tenant[] }) {
  return (
    <Table.ScrollContainer minWidth={480}>
      <Table highlightOnHover>
        <Table.Caption>{words.caption}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{form.name}</Table.Th>
            <Table.Th>{words.display}</Table.Th>
            <Table.Th>{form.status}</Table.Th>
            <Table.Th>{form.created}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tenants.map(({ name, display, status, created }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Anchor component={Link} to={administrationPath(name)} fw={600} aria-label={words.open(name)}>
                  {name}
                </Anchor>
              </Table.Td>
              <Table.Td>{display}</Table.Td>
              <Table.Td>
                <StatusBadge isGood={status === 'active'} label={words.status(status)} />
              </Table.Td>
              <Table.Td>{formatDateTime(created)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
