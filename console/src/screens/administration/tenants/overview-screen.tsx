/** One tenant: what people come here to do, how much it stores, its name and its end. */
import { Anchor, Card, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconKey } from '../../../layout/icons/icons';
import { Link } from 'react-router';
import type { TenantDetails } from '../../../api/administration';
import { formatDateTime } from '../../../fhir/format-date';
import { useSpace } from '../../../layout/current-screen';
import { Loaded } from '../../../layout/loaded';
import { useIsOperator } from '../../../layout/use-administration';
import { administrationPath, fhirPath } from '../../../place';
import { texts } from '../../../texts';
import { ScreenHeading, Part } from '../../../layout/heading';
import { useTenant, useTenantDetails } from '../queries';
import { StatusBadge } from '../status-badge';
import { formatBytes, formatCount } from './amounts';
import { EndOfTenant } from './end-of-tenant';
import { RenameTenant } from './rename-tenant';

const { form, tenant: words, tenants } = texts.administration;

export function OverviewScreen() {
  const details = useTenantDetails(useTenant());
  return <Loaded query={details}>{(tenant) => <Overview tenant={tenant} />}</Loaded>;
}

function Overview({ tenant }: { readonly tenant: TenantDetails }) {
  const space = useSpace();
  const isOperator = useIsOperator();
  return (
    <Stack gap="xl">
      <ScreenHeading title={tenant.display} place={texts.administration.title}>
        <Group gap="sm">
          <StatusBadge isGood={tenant.status === 'active'} label={tenants.status(tenant.status)} />
          <Anchor component={Link} to={fhirPath(space)} size="sm">
            {tenants.data}
          </Anchor>
        </Group>
      </ScreenHeading>
      <Tasks tenant={tenant.name} />
      <Part title={words.about}>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="md" component="dl" m={0}>
          <Fact
            label={words.resources}
            value={formatCount(tenant.usage.resources)}
            hint={words.resourcesHint}
          />
          <Fact label={words.bytes} value={formatBytes(tenant.usage.bytes)} hint={words.bytesHint} />
          <Fact label={form.created} value={formatDateTime(tenant.created)} />
        </SimpleGrid>
        <RenameTenant tenant={tenant} />
      </Part>
      {isOperator ? <EndOfTenant tenant={tenant} /> : null}
    </Stack>
  );
}

function Fact({
  label,
  value,
  hint,
}: {
  readonly label: string;
  readonly value: string;
  readonly hint?: string;
}) {
  return (
    <div>
      <Text component="dt" size="sm" c="dimmed">
        {label}
      </Text>
      <Text component="dd" m={0} fz="lg" fw={600}>
        {value}
      </Text>
      {hint === undefined ? null : (
        <Text component="dd" m={0} size="xs" c="dimmed">
          {hint}
        </Text>
      )}
    </div>
  );
}

function Tasks({ tenant }: { readonly tenant: string }) {
  const more = [
    { label: words.addClient, hint: words.addClientHint, screen: 'clients/new' },
    { label: words.addUser, hint: words.addUserHint, screen: 'users/new' },
    { label: words.seeAudit, hint: words.seeAuditHint, screen: 'audit' },
    { label: words.import, hint: words.importHint, screen: 'packages' },
    { label: words.changeSettings, hint: words.changeSettingsHint, screen: 'settings' },
  ];
  return (
    <Part title={words.tasks}>
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }} spacing="sm">
        <Card
          component={Link}
          to={administrationPath(tenant, 'give-access')}
          withBorder
          padding="sm"
          bg="var(--mantine-primary-color-light)"
        >
          <Group gap="xs" wrap="nowrap" align="start">
            <IconKey size={20} aria-hidden style={{ flexShrink: 0 }} />
            <div>
              <Text fw={600}>{words.giveAccess}</Text>
              <Text size="sm">{words.giveAccessHint}</Text>
            </div>
          </Group>
        </Card>
        {more.map(({ label, hint, screen }) => (
          <Card key={screen} component={Link} to={administrationPath(tenant, screen)} withBorder padding="sm">
            <Text fw={600}>{label}</Text>
            <Text size="sm" c="dimmed">
              {hint}
            </Text>
          </Card>
        ))}
      </SimpleGrid>
    </Part>
  );
}
