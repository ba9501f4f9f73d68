/** The secrets of a client: shown once, replaced without an interruption. */
import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { addSecret, removeSecret, type Client } from '../../../api/administration';
import { formatDateTime } from '../../../fhir/format-date';
import { CopyLine } from '../../../layout/copy';
import { RecordTable } from '../../../layout/record-table';
import { FailureView } from '../../../layout/failure-view';
import { texts } from '../../../texts';
import { Confirm } from '../confirm';
import { Part } from '../../../layout/heading';
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
        <RecordTable
          rows={client.secrets}
          empty={<Text size="sm">{words.noSecrets}</Text>}
          caption={words.secrets}
          minWidth={520}
          keyOf={({ id }) => id}
          columns={[
            { title: words.secretId, cell: ({ id }) => id },
            { title: form.created, cell: ({ created }) => formatDateTime(created) },
            {
              title: words.expires,
              cell: ({ expires }) => (expires === undefined ? words.never : expiryWords(expires)),
            },
            {
              title: form.actions,
              cell: ({ id }) => (
                <Confirm
                  label={words.removeSecret}
                  name={words.removeSecretOf(id)}
                  title={words.removeSecretTitle}
                  words={words.removeSecretWords}
                  action={form.remove}
                  run={() => removal.mutateAsync(id)}
                />
              ),
            },
          ]}
        />
        {adding.data === undefined ? null : (
          <Alert color="teal" role="status" title={words.secretOnce}>
            <CopyLine what={words.secret} value={adding.data.secret} />
          </Alert>
        )}
        {adding.isError ? <FailureView error={adding.error} /> : null}
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

function expiryWords(expires: string): string {
  return `${formatDateTime(expires)}${Date.parse(expires) < Date.now() ? ` (${words.expired})` : ''}`;
}
