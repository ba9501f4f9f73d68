/** The tenants that the caller may list; for all others a field for the name of one. */
import { Anchor, Button, Group, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { objectsOf, parseJson, isObject, textOf } from '../../api/json';
import { send } from '../../api/send';
import { Part } from '../../layout/heading';
import { tenantPath, type Space } from '../../place';
import { texts } from '../../texts';

const { start } = texts;
/** More are found by the field. */
const SHOWN = 20;

interface Tenant {
  readonly name: string;
  readonly display: string;
}

async function listTenants(): Promise<readonly Tenant[]> {
  const { text } = await send('/w/system/api/v1/tenants');
  const answer = parseJson(text);
  return objectsOf(isObject(answer) ? answer['tenants'] : []).map((tenant) => ({
    name: textOf(tenant['name']) ?? '',
    display: textOf(tenant['display']) ?? '',
  }));
}

export function Tenants({ space }: { readonly space: Space }) {
  const tenants = useQuery({ queryKey: ['tenants'], queryFn: listTenants, retry: false });
  const navigate = useNavigate();
  const [name, setName] = useState(space.tenant);
  return (
    <Part title={start.tenants}>
      {(tenants.data ?? []).slice(0, SHOWN).map((tenant) => (
        <Text key={tenant.name} size="sm">
          <Anchor component={Link} to={tenantPath(tenant.name)}>
            {tenant.name}
          </Anchor>
          {tenant.display === tenant.name ? null : ` · ${tenant.display}`}
        </Text>
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void navigate(tenantPath(name.trim()));
        }}
      >
        <Group gap="xs" mt="sm" align="end">
          <TextInput
            label={start.tenantName}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            pattern="[a-z0-9\-]{1,63}"
            required
          />
          <Button type="submit" variant="default">
            {start.openTenant}
          </Button>
        </Group>
      </form>
    </Part>
  );
}
