/** The rates of single clients, which are settings with the id of a client in their names. */
import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { changeTenant, type TenantDetails } from '../../../api/administration';
import { RecordTable } from '../../../layout/record-table';
import { FailureView } from '../../../layout/failure-view';
import { texts } from '../../../texts';
import { Part } from '../../../layout/heading';
import { useChange, useClients } from '../queries';
import { clientRates, OF_CLIENT } from './setting-changes';

const { form, settingsScreen: words } = texts.administration;

export function ClientRates({ tenant }: { readonly tenant: TenantDetails }) {
  const clients = useClients(tenant.name);
  const draft = useForm({ initialValues: { client: '', rate: '' } });
  const saving = useChange((changes: Readonly<Record<string, string | null>>) =>
    changeTenant(tenant.name, { settings: changes }),
  );
  const nameOf = (id: string): string => clients.data?.find((each) => each.id === id)?.name ?? id;
  return (
    <Part title={words.perClient} hint={words.perClientHint}>
      <Stack gap="sm">
        <RecordTable
          rows={clientRates(tenant)}
          caption={words.perClient}
          minWidth={360}
          keyOf={(each) => each.client}
          columns={[
            { title: words.perClientClient, cell: (each) => nameOf(each.client) },
            { title: words.perClientRate, cell: (each) => each.rate },
            {
              title: form.actions,
              cell: (each) => (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={words.removeOf(nameOf(each.client))}
                  onClick={() => saving.mutate({ [`${OF_CLIENT}${each.client}`]: null })}
                >
                  {form.remove}
                </Button>
              ),
            },
          ]}
        />
        <form
          onSubmit={draft.onSubmit(({ client, rate }) =>
            saving.mutate({ [`${OF_CLIENT}${client}`]: rate.trim() }),
          )}
        >
          <Group gap="sm" align="end">
            <Select
              label={words.perClientClient}
              data={(clients.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
              {...draft.getInputProps('client')}
              searchable
              allowDeselect={false}
              required
            />
            <TextInput
              label={words.perClientRate}
              placeholder="50/s"
              {...draft.getInputProps('rate')}
              required
              autoComplete="off"
            />
            <Button type="submit" variant="default" loading={saving.isPending}>
              {form.add}
            </Button>
          </Group>
        </form>
        {saving.isError ? <FailureView error={saving.error} /> : null}
      </Stack>
    </Part>
  );
}
