/** Says which tenant is shown, and leads to another one. */
import { Anchor, Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { listTenants } from '../api/administration';
import { knownTenants, signedInRelease } from '../api/session';
import { ADMINISTRATION, PREFIX, tenantPath, type Space } from '../place';
import { texts } from '../texts';
import { useSpace } from './current-screen';
import { IconChevronDown } from './icons/icons';
import { usePerson } from './use-person';

const { tenants: words } = texts.common;
/** More are found by the field. */
const SHOWN = 20;

/** Another tenant is another page, so that nothing of this one stays: no form, no answer, no query. */
const addressOf = (tenant: string): string => `${PREFIX}${tenantPath(tenant)}`;

export function TenantSwitcher() {
  const space = useSpace();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  return (
    <Popover
      opened={isOpen}
      onClose={close}
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
          maw={{ base: 90, sm: 180 }}
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
  const form = useForm({ initialValues: { name: space.tenant } });
  return (
    <Stack gap="xs">
      <KnownTenants here={space} />
      <form onSubmit={form.onSubmit(({ name }) => location.assign(addressOf(name.trim())))}>
        <Group gap="xs" align="end" wrap="nowrap">
          <TextInput
            label={words.name}
            {...form.getInputProps('name')}
            pattern="[a-z0-9\-]{1,63}"
            required
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

/** The operator has all of the server; everybody else those where this browser was signed in. */
function KnownTenants({ here }: { readonly here: Space }) {
  const operator = usePerson(ADMINISTRATION);
  const person = usePerson({ ...here, release: signedInRelease(here.tenant, here.release) });
  const all = useQuery({
    queryKey: ['tenants', operator?.name],
    queryFn: listTenants,
    // A server in open mode tells them to everybody on its machine.
    enabled: operator?.isAdministrator ?? person === undefined,
    retry: false,
  });
  const known = knownTenants().map((name) => ({ name, display: name }));
  const tenants = (all.data ?? known).slice(0, SHOWN);
  return tenants.map(({ name, display }) => (
    <Text key={name} size="sm">
      <Anchor href={addressOf(name)} aria-current={name === here.tenant ? 'true' : undefined}>
        {name}
      </Anchor>
      {display === name ? null : <bdi> · {display}</bdi>}
    </Text>
  ));
}
