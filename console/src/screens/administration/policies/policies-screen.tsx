/** The policies of a tenant, and who they restrict. */
import { Anchor, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link, useNavigate } from 'react-router';
import type { PolicyRule } from '../../../api/administration';
import { RecordTable } from '../../../layout/record-table';
import { administrationPath } from '../../../place';
import { texts } from '../../../texts';
import { ScreenHeading } from '../../../layout/heading';
import { useClients, usePolicies, useTenant } from '../queries';

const words = texts.administration.policyScreens;

export function PoliciesScreen() {
  const tenant = useTenant();
  const policies = usePolicies(tenant);
  const clients = useClients(tenant);
  const navigate = useNavigate();
  const named = useForm({ initialValues: { name: '' } });
  const usersOf = (policy: string): string => {
    const names = (clients.data ?? []).filter((client) => client.policies.includes(policy));
    return names.length === 0 ? words.nobody : names.map((client) => client.name).join(', ');
  };
  return (
    <Stack gap="md">
      <ScreenHeading place={tenant} intro={words.intro} />
      <form
        onSubmit={named.onSubmit(
          ({ name }) => void navigate(administrationPath(tenant, `policies/${name.trim()}`)),
        )}
      >
        <Group gap="sm" align="end">
          <TextInput
            label={words.newName}
            description={words.newNameHint}
            {...named.getInputProps('name')}
            pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}"
            required
            autoComplete="off"
          />
          <Button type="submit" variant="default">
            {words.open}
          </Button>
        </Group>
      </form>
      <RecordTable
        query={policies}
        empty={words.empty}
        caption={words.caption}
        hasCaption
        minWidth={560}
        keyOf={(policy) => policy.name}
        columns={[
          {
            title: words.name,
            cell: (policy) => (
              <Anchor component={Link} to={administrationPath(tenant, `policies/${policy.name}`)} fw={600}>
                {policy.name}
              </Anchor>
            ),
          },
          { title: words.rules, cell: ({ rules }) => <Rules rules={rules} /> },
          {
            title: words.hidden,
            cell: ({ hidden = [] }) =>
              hidden.map((element) => (
                <Code key={element} mr={4}>
                  {element}
                </Code>
              )),
          },
          { title: words.usedBy, cell: (policy) => usersOf(policy.name) },
        ]}
      />
    </Stack>
  );
}

/** More than these are only counted. */
const SHOWN_TYPES = 3;
const SHOWN_RULES = 3;

function describe({ types, interactions, criteria = [] }: PolicyRule): string {
  const shown = types.slice(0, SHOWN_TYPES).join(', ');
  const left = types.length - SHOWN_TYPES;
  const all = left > 0 ? `${shown} ${words.more(left)}` : shown;
  return words.rule(interactions, all, criteria.join(' or '));
}

function Rules({ rules }: { readonly rules: readonly PolicyRule[] }) {
  return (
    <>
      {rules.slice(0, SHOWN_RULES).map((rule) => (
        <Text size="sm" key={JSON.stringify(rule)}>
          {describe(rule)}
        </Text>
      ))}
      {rules.length > SHOWN_RULES ? '…' : null}
    </>
  );
}
