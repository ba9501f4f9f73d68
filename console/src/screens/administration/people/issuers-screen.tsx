/** The identity providers whose tokens a tenant accepts. */
import { Button, Group, Stack } from '@mantine/core';
import { IconPlus } from '../../../layout/icons/icons';
import { useState } from 'react';
import { removeIssuer, type Issuer } from '../../../api/administration';
import { RecordTable } from '../../../layout/record-table';
import { texts } from '../../../texts';
import { Confirm } from '../confirm';
import { ScreenHeading } from '../../../layout/heading';
import { useChange, useClients, useIssuers, useTenant } from '../queries';
import { IssuerForm } from './issuer-form';

const { form, people } = texts.administration;
const words = people.issuers;

export function IssuersScreen() {
  const tenant = useTenant();
  const issuers = useIssuers(tenant);
  const clients = useClients(tenant);
  const removal = useChange((issuer: string) => removeIssuer(tenant, issuer));
  const nameOf = (id: string): string => clients.data?.find((client) => client.id === id)?.name ?? id;
  const [edited, setEdited] = useState<Issuer | 'new'>();
  return (
    <Stack gap="md">
      <ScreenHeading place={tenant} intro={words.intro}>
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')}>
          {words.new}
        </Button>
      </ScreenHeading>
      <RecordTable
        query={issuers}
        empty={words.empty}
        caption={words.caption}
        hasCaption
        minWidth={640}
        keyOf={({ issuer }) => issuer}
        columns={[
          { title: words.issuer, cell: ({ issuer }) => issuer },
          { title: words.client, cell: ({ client }) => nameOf(client) },
          { title: words.audience, cell: ({ audience }) => audience },
          { title: words.release, cell: ({ release }) => people.releases[release] },
          {
            title: form.actions,
            cell: (issuer) => (
              <Group gap="xs" wrap="nowrap">
                <Button
                  size="xs"
                  variant="default"
                  aria-label={words.edit(issuer.issuer)}
                  onClick={() => setEdited(issuer)}
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
            ),
          },
        ]}
      />
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
