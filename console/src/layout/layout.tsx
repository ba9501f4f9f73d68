/** The frame of all screens: header, navigation, content. */
import { Anchor, AppShell, Box, Burger, Group, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconBook2,
  IconBinaryTree2,
  IconGraph,
  IconHome,
  IconListSearch,
  IconSettings,
  type Icon,
} from './icons/icons';
import { useEffect, useRef, type ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import logo from '../favicon.svg';
import { administrationPath, fhirPath, PREFIX, screenPath, tenantPath } from '../place';
import { texts } from '../texts';
import { ColorSchemeButton, ReleaseControl, SessionButton } from './header-controls';
import classes from './layout.module.css';
import { useSpace } from './place-context';

interface Target {
  readonly label: string;
  readonly path: string;
  readonly icon: Icon;
  readonly isHere: boolean;
}

function useTargets(): readonly Target[] {
  const space = useSpace();
  const { pathname } = useLocation();
  const { tenant } = space;
  const [start, resources] = [tenantPath(tenant), fhirPath(space)];
  const terminology = screenPath(space, 'terminology');
  const graphiql = screenPath(space, 'graphiql');
  const administration = administrationPath();
  return [
    {
      label: texts.common.start,
      path: start,
      icon: IconHome,
      isHere: pathname === '/' || pathname === start,
    },
    {
      label: texts.common.resources,
      path: resources,
      icon: IconListSearch,
      isHere: pathname.startsWith(resources),
    },
    {
      label: texts.common.terminology,
      path: terminology,
      icon: IconBinaryTree2,
      isHere: pathname.startsWith(terminology),
    },
    { label: texts.common.graphiql, path: graphiql, icon: IconGraph, isHere: pathname.startsWith(graphiql) },
    {
      label: texts.common.administration,
      path: administrationPath(tenant),
      icon: IconSettings,
      isHere: pathname.startsWith(administration),
    },
  ];
}

/** Moves the focus to the content of a new screen, so that a screen reader begins there. */
function useFocusOnScreen(): React.RefObject<HTMLElement | null> {
  const content = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) content.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [pathname]);
  return content;
}

export function Layout({ children }: { readonly children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const content = useFocusOnScreen();
  const targets = useTargets();
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 210, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <AppShell.Header>
        <a className={classes['skip']} href="#content">
          {texts.common.skip}
        </a>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? texts.common.closeMenu : texts.common.openMenu}
            />
            <Anchor component={Link} to="/" underline="never" c="inherit" aria-label={texts.common.product}>
              <Group gap={8} wrap="nowrap">
                <Logo />
                <Text fw={700} visibleFrom="xs">
                  {texts.common.product}
                </Text>
              </Group>
            </Anchor>
          </Group>
          <Group gap="sm" wrap="nowrap">
            <ReleaseControl />
            <SessionButton />
            <ColorSchemeButton />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={texts.common.navigation}>
        {targets.map(({ label, path, icon: TargetIcon, isHere }) => (
          <NavLink
            key={label}
            component={Link}
            to={path}
            label={label}
            active={isHere}
            aria-current={isHere ? 'page' : undefined}
            leftSection={<TargetIcon size={18} aria-hidden />}
            onClick={close}
          />
        ))}
        <Box mt="auto">
          <NavLink
            href={`${PREFIX}/docs/`}
            label={texts.common.docs}
            leftSection={<IconBook2 size={18} aria-hidden />}
          />
        </Box>
      </AppShell.Navbar>
      <AppShell.Main id="content" ref={content} tabIndex={-1} className={classes['main'] ?? ''}>
        {children}
      </AppShell.Main>
    </AppShell>
  );
}

function Logo() {
  return <img src={logo} width={24} height={24} alt="" />;
}
