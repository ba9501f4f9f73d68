/** The controls of the header: release, session, colors. */
import {
  ActionIcon,
  Button,
  Menu,
  SegmentedControl,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { IconMoon, IconSun, IconUser } from './icons/icons';
import { useNavigate } from 'react-router';
import { signOut } from '../api/session';
import { isRelease, RELEASES } from '../place';
import { texts } from '../texts';
import { useInRelease, useSessionSpace, useSpace } from './current-screen';
import { SignInButton } from './sign-in-button';
import { usePerson } from './use-person';

export function ReleaseControl() {
  const space = useSpace();
  const inRelease = useInRelease();
  const navigate = useNavigate();
  return (
    <>
      <Text size="sm" visibleFrom="sm" c="dimmed">
        {space.tenant}
      </Text>
      <SegmentedControl
        size="xs"
        aria-label={texts.common.release}
        value={space.release}
        data={RELEASES.map((release) => ({ value: release, label: release.toUpperCase() }))}
        onChange={(release) => {
          if (isRelease(release)) void navigate(inRelease(release));
        }}
      />
    </>
  );
}

export function SessionButton() {
  const space = useSessionSpace();
  const person = usePerson(space);
  if (person === undefined) return <SignInButton space={space} variant="default" />;
  return (
    <Menu>
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<IconUser size={14} aria-hidden />}>
          {person.name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{texts.common.signedInAs(person.name)}</Menu.Label>
        <Menu.Item onClick={() => void signOut(space.tenant)}>{texts.common.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

export function ColorSchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return (
    <ActionIcon
      variant="default"
      aria-label={isDark ? texts.common.light : texts.common.dark}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      {isDark ? <IconSun size={16} aria-hidden /> : <IconMoon size={16} aria-hidden />}
    </ActionIcon>
  );
}
