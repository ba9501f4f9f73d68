/** One client: its settings, its secrets, and what its developer needs. */
import { Alert, Group, List, MultiSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { changeClient, readClient, type Client, type ClientChanges } from '../../../api/administration';
import { FailureView } from '../../../layout/failure-view';
import { Loaded } from '../../../layout/loaded';
import { texts } from '../../../texts';
import { Confirm } from '../confirm';
import { Part, ScreenHeading } from '../../../layout/heading';
import { useChange, usePolicies, useTenant } from '../queries';
import { Saved } from '../saved';
import { EnabledBadge } from '../status-badge';
import { ChangeForm } from '../change-form';
import { ClientFields, useClientForm } from './client-fields';
import { ClientSecrets } from './client-secrets';
import { ConnectionDetails } from './connection-details';
import { changesOf, draftOf } from './draft';
import { kindOf } from './kinds';

const { form, clientScreens: words } = texts.administration;

/** The client of the console, which the server has in every tenant. */
const BUILT_IN = 'andiron-console';

export function ClientScreen() {
  const tenant = useTenant();
  const { client: id = '' } = useParams();
  const client = useQuery({
    queryKey: ['administration', tenant, 'client', id],
    queryFn: () => readClient(tenant, id),
  });
  return (
    <Loaded query={client}>{(found) => <ClientView key={found.id} tenant={tenant} client={found} />}</Loaded>
  );
}

interface ClientViewProps {
  readonly tenant: string;
  readonly client: Client;
}

function ClientView({ tenant, client }: ClientViewProps) {
  const { id, name, disabled } = client;
  const kind = kindOf(client);
  const switching = useChange((isDisabled: boolean) => changeClient(tenant, id, { disabled: isDisabled }));
  return (
    <Stack gap="xl">
      <ScreenHeading title={name} place={tenant} intro={words.kinds[kind]}>
        <Group gap="sm">
          <EnabledBadge isDisabled={disabled} />
          <Confirm
            label={disabled ? form.enable : form.disable}
            title={words.disableTitle(name)}
            words={words.disableWords}
            action={form.disable}
            isDirect={disabled}
            run={() => switching.mutateAsync(!disabled)}
          />
        </Group>
      </ScreenHeading>
      {client.warnings.length === 0 ? null : (
        <Alert color="yellow" title={words.warnings}>
          <List size="sm" spacing={4}>
            {client.warnings.map((warning) => (
              <List.Item key={warning} style={{ overflowWrap: 'anywhere' }}>
                {warning}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {id === BUILT_IN ? (
        <BuiltIn tenant={tenant} client={client} />
      ) : (
        <>
          <ConnectionDetails tenant={tenant} client={client} />
          {kind === 'app' ? null : <ClientSecrets tenant={tenant} client={client} />}
          <Part title={words.edit}>
            <ClientForm tenant={tenant} client={client} />
          </Part>
        </>
      )}
    </Stack>
  );
}

function ClientForm({ tenant, client }: ClientViewProps) {
  const form = useClientForm(draftOf(client));
  const saving = useChange((changes: ClientChanges) => changeClient(tenant, client.id, changes));
  return (
    <ChangeForm
      form={form}
      change={saving}
      send={(draft) => saving.mutate(changesOf(draft))}
      action={texts.administration.form.save}
      hasNotice
    >
      <ClientFields tenant={tenant} form={form} isNew={false} />
    </ChangeForm>
  );
}

function BuiltIn({ tenant, client }: ClientViewProps) {
  const policies = usePolicies(tenant);
  const saving = useChange((chosen: string[]) => changeClient(tenant, client.id, { policies: chosen }));
  const names = (policies.data ?? []).map(({ name }) => name);
  return (
    <Stack gap="md">
      <Text>{words.builtIn}</Text>
      <MultiSelect
        label={words.policies}
        description={words.policiesHint}
        data={[...new Set([...names, ...client.policies])]}
        value={[...client.policies]}
        onChange={(chosen) => saving.mutate(chosen)}
        maw={480}
      />
      {saving.isError ? <FailureView error={saving.error} /> : null}
      <Saved isSaved={saving.isSuccess} />
    </Stack>
  );
}
