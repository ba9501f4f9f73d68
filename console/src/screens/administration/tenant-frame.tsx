/** What all screens of a tenant have: where they are, the way to the others, and the rights that they need. */
import { Anchor, Breadcrumbs, Button, Group, Text } from '@mantine/core';
import { Link, Outlet, useLocation } from 'react-router';
import { administrationPath } from '../../place';
import { texts } from '../../texts';
import { AdministrationLoaded } from './failure';
import { ScreenHeading } from './heading';
import { useTenant, useTenantDetails } from './queries';

const { administration } = texts;

const SCREENS = [
  { screen: '', label: administration.overview },
  { screen: 'settings', label: administration.settings },
  { screen: 'clients', label: administration.clients },
  { screen: 'users', label: administration.users },
  { screen: 'issuers', label: administration.issuers },
  { screen: 'keys', label: administration.keys },
  { screen: 'policies', label: administration.policies },
  { screen: 'audit', label: administration.audit },
  { screen: 'packages', label: administration.packages },
  { screen: 'indexes', label: administration.indexes },
] as const;

export function TenantFrame() {
  const tenant = useTenant();
  const details = useTenantDetails(tenant);
  const { pathname } = useLocation();
  const [here = ''] = pathname.slice(administrationPath(tenant).length + 1).split('/');
  return (
    <>
      <nav aria-label={administration.path}>
        <Breadcrumbs mb="xs" separatorMargin={6}>
          <Anchor component={Link} to={administrationPath()} size="sm">
            {administration.title}
          </Anchor>
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {tenant}
          </Text>
        </Breadcrumbs>
      </nav>
      <nav aria-label={administration.screens}>
        <Group gap={4} mb="lg">
          {SCREENS.map(({ screen, label }) => (
            <Button
              key={screen}
              component={Link}
              to={administrationPath(tenant, screen)}
              size="compact-sm"
              variant={screen === here ? 'light' : 'subtle'}
              color={screen === here ? 'orange' : 'gray'}
              aria-current={screen === here ? 'page' : undefined}
            >
              {label}
            </Button>
          ))}
        </Group>
      </nav>
      {details.isError ? <ScreenHeading title={tenant} place={administration.title} /> : null}
      <AdministrationLoaded query={details}>{() => <Outlet key={tenant} />}</AdministrationLoaded>
    </>
  );
}
