/** The identity providers whose tokens a tenant accepts. */
import { Button, Group, Stack, Table, Text } from '@mantine/core';
import { IconPlus } from '../../../layout/icons/icons';
import { useState } from 'react';
import { removeIssuer, type Issuer } from '../../../api/administration';
import { texts } from '../../../texts';
import { Confirm } from '../confirm';
import { AdministrationLoaded } from '../failure';
import { ScreenHeading } from '../heading';
import { useChange, useClients, useIssuers, useTenant } from '../queries';
import { IssuerForm } from './issuer-form';

const { form, people } = texts.administration;
const words = people.issuers;

export function IssuersScreen() {
  const tenant = useTenant();
  const issuers = useIssuers(tenant);
  const [edited, setEdited] = useState<Issuer | 'new'>();
  return (
    <Stack gap="md">
      <ScreenHeading place={tenant} intro={words.intro}>
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')}>
          {words.new}
        </Button>
      </ScreenHeading>
      <AdministrationLoaded query={issuers}>
        {(list) =>
          list.length === 0 ? (
            <Text>{words.empty}</Text>
          ) : (
            <IssuerTable tenant={tenant} issuers={list} edit={setEdited} />
          )
        }
      </AdministrationLoaded>
      {edited === undefined ? null : (
        <IssuerForm
          tenant={tenant}
          issuer={edited === 'new' ? undefined : edited}
          close={() => setEdited(undefined)}
        />
      )}
    </Stack>
  );
}

function IssuerTable({
  tenant,
  issuers,
  edit,
}: {
  readonly tenant: string;
  readonly issuers: readonly Issuer[];
  readonly edit: (issuer: Issuer) => void;
}) {
  const clients = useClients(tenant);
  const removal = useChange((issuer: string) => removeIssuer(tenant, issuer));
  const nameOf = (id: string): string => clients.data?.find((client) => client.id === id)?.name ?? id;
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table>
        <Table.Caption>{words.caption}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.issuer}</Table.Th>
            <Table.Th>{words.client}</Table.Th>
            <Table.Th>{words.audience}</Table.Th>
            <Table.Th>{words.release}</Table.Th>
            <Table.Th>{form.actions}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {issuers.map((issuer) => (
            <Table.Tr key={issuer.issuer}>
              <Table.Td>{issuer.issuer}</Table.Td>
              <Table.Td>{nameOf(issuer.client)}</Table.Td>
              <Table.Td>{issuer.audience}</Table.Td>
              <Table.Td>{people.releases[issuer.release]}</Table.Td>
              <Table.Td>
                <Group gap="xs" wrap="nowrap">
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={words.edit(issuer.issuer)}
                    onClick={() => edit(issuer)}
                  >
                    {form.edit}
                  </Button>
                  <Confirm
                    label={form.remove}
                    name={words.removeOf(issuer.issuer)}
                    title={words.removeTitle}
                    words={words.removeWords(issuer.issuer)}
                    action={form.remove}
                    run={() => removal.mutateAsync(issuer.issuer)}
                  />
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
