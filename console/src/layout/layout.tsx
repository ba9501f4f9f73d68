/** The frame of all screens: header, navigation, content. */
import { Anchor, AppShell, Box, Burger, Group, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useContext, useEffect, useRef, type ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import logo from '../favicon.svg';
import { PREFIX } from '../place';
import { texts } from '../texts';
import { AccountMenu } from './account-menu';
import { ColorSchemeButton, ReleaseControl } from './header-controls';
import { CurrentScreen, useSpace, type Section } from './current-screen';
import { IconBook2 } from './icons/icons';
import { TenantSwitcher } from './tenant-switcher';
import { useAdministrationPath } from './use-administration';
import classes from './layout.module.css';
import { OfflineNotice } from './offline-notice';
import print from './print.module.css';
import { ProgressLine } from './progress-line';
import { QuickSearch } from './quick-search/quick-search';

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

export interface LayoutProps {
  readonly sections: readonly Section[];
  readonly children: ReactNode;
}

export function Layout({ sections, children }: LayoutProps) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const content = useFocusOnScreen();
  const space = useSpace();
  const administration = useAdministrationPath(space);
  const { section: here } = useContext(CurrentScreen);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 210, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <ProgressLine />
      <AppShell.Header className={print['screen'] ?? ''}>
        <a className={classes['skip']} href="#content">
          {texts.common.skip}
        </a>
        <Group h="100%" px={{ base: 'xs', sm: 'md' }} justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? texts.common.closeMenu : texts.common.openMenu}
            />
            <Anchor
              component={Link}
              to="/"
              underline="never"
              c="inherit"
              aria-label={texts.common.product}
              // A phone has no room; the menu leads to the start.
              visibleFrom="xs"
            >
              <Group gap={8} wrap="nowrap">
                <Logo />
                <Text fw={700} visibleFrom="xs">
                  {texts.common.product}
                </Text>
              </Group>
            </Anchor>
          </Group>
          <Group gap={6} wrap="nowrap" className={classes['controls'] ?? ''}>
            <QuickSearch sections={sections} />
            <TenantSwitcher />
            <ReleaseControl />
            <AccountMenu />
            <ColorSchemeButton />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" className={print['screen'] ?? ''} aria-label={texts.common.navigation}>
        {sections.map((section) => {
          const { link } = section;
          const to = link?.path({ space, administration });
          if (link === undefined || to === undefined) return null;
          return (
            <NavLink
              key={link.title}
              component={Link}
              to={to}
              label={link.title}
              active={section === here}
              aria-current={section === here ? 'page' : undefined}
              leftSection={<link.icon size={18} aria-hidden />}
              onClick={close}
            />
          );
        })}
        <Box mt="auto">
          <NavLink
            href={`${PREFIX}/docs/`}
            label={texts.common.docs}
            leftSection={<IconBook2 size={18} aria-hidden />}
          />
        </Box>
      </AppShell.Navbar>
      <AppShell.Main
        id="content"
        ref={content}
        tabIndex={-1}
        className={`${classes['main'] ?? ''} ${print['page'] ?? ''}`}
      >
        <OfflineNotice />
        {children}
      </AppShell.Main>
    </AppShell>
  );
}

function Logo() {
  return <img src={logo} width={24} height={24} alt="" />;
}
