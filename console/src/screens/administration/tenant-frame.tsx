/** What all screens of a tenant have: where they are, the way to the others, and the rights that they need. */
import { Anchor, Breadcrumbs, Button, Group, Text } from '@mantine/core';
import { Fragment, useContext, type ReactNode } from 'react';
import { generatePath, Link, matchPath, useLocation } from 'react-router';
import { CurrentScreen } from '../../layout/current-screen';
import { Loaded } from '../../layout/loaded';
import { useIsOperator } from '../../layout/use-administration';
import { operatorPath } from '../../place';
import { texts } from '../../texts';
import { ScreenHeading } from '../../layout/heading';
import { useTenant, useTenantDetails } from './queries';

const { administration } = texts;

export default function TenantFrame({ children }: { readonly children: ReactNode }) {
  const tenant = useTenant();
  const details = useTenantDetails(tenant);
  const { pathname } = useLocation();
  const { section, screen } = useContext(CurrentScreen);
  const isOperator = useIsOperator();
  const tabs = section.screens.filter(({ isTab, session }) => isTab && session === screen?.session);
  return (
    <>
      <nav aria-label={administration.path}>
        <Breadcrumbs mb="xs" separatorMargin={6}>
          {isOperator ? (
            <Anchor component={Link} to={operatorPath()} size="sm">
              {administration.title}
            </Anchor>
          ) : (
            <Text size="sm">{administration.title}</Text>
          )}
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {tenant}
          </Text>
        </Breadcrumbs>
      </nav>
      <nav aria-label={administration.screens}>
        <Group gap={4} mb="lg">
          {tabs.map(({ path, title }, index) => {
            // All other screens are below the first one.
            const isHere = matchPath({ path, end: index === 0 }, pathname) !== null;
            return (
              <Button
                key={path}
                component={Link}
                to={generatePath(path, { tenant })}
                size="compact-sm"
                variant={isHere ? 'light' : 'subtle'}
                color={isHere ? 'orange' : 'gray'}
                aria-current={isHere ? 'page' : undefined}
              >
                {title}
              </Button>
            );
          })}
        </Group>
      </nav>
      {details.isError ? <ScreenHeading title={tenant} place={administration.title} /> : null}
      <Loaded query={details}>{() => <Fragment key={tenant}>{children}</Fragment>}</Loaded>
    </>
  );
}
