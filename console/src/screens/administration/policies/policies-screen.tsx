/** The policies of a tenant, and who they restrict. */
import { Anchor, Button, Code, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import type { NamedPolicy, PolicyRule } from '../../../api/administration';
import { administrationPath } from '../../../place';
import { texts } from '../../../texts';
import { AdministrationLoaded } from '../failure';
import { ScreenHeading } from '../heading';
import { useClients, usePolicies, useTenant } from '../queries';

const words = texts.administration.policyScreens;

export function PoliciesScreen() {
  const tenant = useTenant();
  const policies = usePolicies(tenant);
  const navigate = useNavigate();
  const [name, setName] = useState('');
  return (
    <Stack gap="md">
      <ScreenHeading place={tenant} intro={words.intro} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void navigate(administrationPath(tenant, `policies/${name.trim()}`));
        }}
      >
        <Group gap="sm" align="end">
          <TextInput
            label={words.newName}
            description={words.newNameHint}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}"
            required
            autoComplete="off"
          />
          <Button type="submit" variant="default">
            {words.open}
          </Button>
        </Group>
      </form>
      <AdministrationLoaded query={policies}>
        {(list) =>
          list.length === 0 ? <Text>{words.empty}</Text> : <PolicyTable tenant={tenant} policies={list} />
        }
      </AdministrationLoaded>
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

function PolicyTable({
  tenant,
  policies,
}: {
  readonly tenant: string;
  readonly policies: readonly NamedPolicy[];
}) {
  const clients = useClients(tenant);
  const usersOf = (name: string): string => {
    const names = (clients.data ?? []).filter((client) => client.policies.includes(name));
    return names.length === 0 ? words.nobody : names.map((client) => client.name).join(', ');
  };
  return (
    <Table.ScrollContainer minWidth={560}>
      <Table highlightOnHover>
        <Table.Caption>{words.caption}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.name}</Table.Th>
            <Table.Th>{words.rules}</Table.Th>
            <Table.Th>{words.hidden}</Table.Th>
            <Table.Th>{words.usedBy}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {policies.map(({ name, rules, hidden = [] }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Anchor component={Link} to={administrationPath(tenant, `policies/${name}`)} fw={600}>
                  {name}
                </Anchor>
              </Table.Td>
              <Table.Td>
                {rules.slice(0, SHOWN_RULES).map((rule) => (
                  <Text size="sm" key={JSON.stringify(rule)}>
                    {describe(rule)}
                  </Text>
                ))}
                {rules.length > SHOWN_RULES ? '…' : null}
              </Table.Td>
              <Table.Td>
                {hidden.map((element) => (
                  <Code key={element} mr={4}>
                    {element}
                  </Code>
                ))}
              </Table.Td>
              <Table.Td>{usersOf(name)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
