/** Says which tenant is shown, and leads to another one. */
import { Anchor, Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useEffect } from 'react';
import { useLocation } from 'react-router';
import type { Space } from '../place';
import { texts } from '../texts';
import { useSpace } from './current-screen';
import classes from './layout.module.css';
import { IconChevronDown } from './icons/icons';
import { addressOfTenant, useKnownTenants } from './use-known-tenants';

const { tenants: words } = texts.common;
/** More are found by the field. */
const SHOWN = 20;

export function TenantSwitcher() {
  const space = useSpace();
  const [isOpen, { toggle, close, set }] = useDisclosure(false);
  const { pathname } = useLocation();
  useEffect(close, [pathname]);
  return (
    <Popover
      opened={isOpen}
      onChange={set}
      trapFocus
      returnFocus
      // The header stays in view.
      hideDetached={false}
      position="bottom-end"
      width={280}
      shadow="md"
    >
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          maw={180}
          px={{ base: 10, sm: 14 }}
          className={classes['name'] ?? ''}
          aria-label={words.switch(space.tenant)}
          onClick={toggle}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          <bdi>{space.tenant}</bdi>
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={words.title}>
        <TenantChoice space={space} />
      </Popover.Dropdown>
    </Popover>
  );
}

/** Tenants that the person knows, and a field for the name of any other. */
export function TenantChoice({ space }: { readonly space: Space }) {
  const form = useForm({ initialValues: { name: '' } });
  return (
    <Stack gap="xs">
      <KnownTenants here={space} />
      <form
        onSubmit={form.onSubmit(({ name }) => location.assign(addressOfTenant(name.trim().toLowerCase())))}
      >
        <Group gap="xs" align="end" wrap="nowrap">
          <TextInput
            label={words.name}
            {...form.getInputProps('name')}
            // Names are in lower case; people may type them otherwise.
            pattern="\s*[A-Za-z0-9\-]{1,63}\s*"
            required
            withAsterisk={false}
            autoComplete="off"
            flex={1}
          />
          <Button type="submit" variant="default">
            {words.open}
          </Button>
        </Group>
      </form>
    </Stack>
  );
}

function KnownTenants({ here }: { readonly here: Space }) {
  const tenants = useKnownTenants(here).slice(0, SHOWN);
  return tenants.map(({ name, display }) => (
    <Text key={name} size="sm" className={classes['names'] ?? ''}>
      <Anchor href={addressOfTenant(name)} aria-current={name === here.tenant ? 'true' : undefined}>
        {name}
      </Anchor>
      {display === name ? null : (
        <>
          {' · '}
          <bdi>{display}</bdi>
        </>
      )}
    </Text>
  ));
}
