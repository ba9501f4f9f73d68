/** The secrets of a client: shown once, replaced without an interruption. */
import { Alert, Button, Group, Select, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { addSecret, removeSecret, type Client, type StoredSecret } from '../../../api/administration';
import { formatDateTime } from '../../../fhir/format-date';
import { CopyLine } from '../../../layout/copy';
import { texts } from '../../../texts';
import { Confirm } from '../confirm';
import { AdministrationFailure } from '../failure';
import { Part } from '../heading';
import { useChange } from '../queries';

const { form, clientScreens: words } = texts.administration;

const DAYS = [30, 90, 365] as const;
const NEVER = 'never';
const DAY_MS = 86_400_000;

export function ClientSecrets({ tenant, client }: { readonly tenant: string; readonly client: Client }) {
  const [expiry, setExpiry] = useState(NEVER);
  const adding = useChange((choice: string) => {
    const expires =
      choice === NEVER ? undefined : new Date(Date.now() + Number(choice) * DAY_MS).toISOString();
    return addSecret(tenant, client.id, expires);
  });
  const removal = useChange((secret: string) => removeSecret(tenant, client.id, secret));
  return (
    <Part title={words.secrets} hint={words.secretsHint}>
      <Stack gap="sm">
        {client.secrets.length === 0 ? (
          <Text size="sm">{words.noSecrets}</Text>
        ) : (
          <SecretTable secrets={client.secrets} remove={(id) => removal.mutateAsync(id)} />
        )}
        {adding.data === undefined ? null : (
          <Alert color="teal" role="status" title={words.secretOnce}>
            <CopyLine what={words.secret} value={adding.data.secret} />
          </Alert>
        )}
        {adding.isError ? <AdministrationFailure error={adding.error} /> : null}
        <Group gap="sm" align="end">
          <Select
            label={words.expiry}
            data={[
              { value: NEVER, label: words.expiryNever },
              ...DAYS.map((days) => ({ value: String(days), label: words.expiryDays(days) })),
            ]}
            value={expiry}
            onChange={(value) => setExpiry(value ?? NEVER)}
            allowDeselect={false}
          />
          <Button variant="default" loading={adding.isPending} onClick={() => adding.mutate(expiry)}>
            {words.addSecret}
          </Button>
        </Group>
      </Stack>
    </Part>
  );
}

function SecretTable({
  secrets,
  remove,
}: {
  readonly secrets: readonly StoredSecret[];
  readonly remove: (id: string) => Promise<void>;
}) {
  return (
    <Table.ScrollContainer minWidth={520}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.secretId}</Table.Th>
            <Table.Th>{form.created}</Table.Th>
            <Table.Th>{words.expires}</Table.Th>
            <Table.Th>{form.actions}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {secrets.map(({ id, created, expires }) => (
            <Table.Tr key={id}>
              <Table.Td>{id}</Table.Td>
              <Table.Td>{formatDateTime(created)}</Table.Td>
              <Table.Td>
                {expires === undefined ? words.never : formatDateTime(expires)}
                {expires !== undefined && Date.parse(expires) < Date.now() ? ` (${words.expired})` : null}
              </Table.Td>
              <Table.Td>
                <Confirm
                  label={words.removeSecret}
                  name={words.removeSecretOf(id)}
                  title={words.removeSecretTitle}
                  words={words.removeSecretWords}
                  action={form.remove}
                  run={() => remove(id)}
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
