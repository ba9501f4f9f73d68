/** The controls of the header: release, colors. */
import { ActionIcon, SegmentedControl, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from './icons/icons';
import { useNavigate } from 'react-router';
import { isRelease, RELEASES } from '../place';
import { texts } from '../texts';
import { useInRelease, useSpace } from './current-screen';

export function ReleaseControl() {
  const space = useSpace();
  const inRelease = useInRelease();
  const navigate = useNavigate();
  return (
    <SegmentedControl
      size="xs"
      aria-label={texts.common.release}
      value={space.release}
      data={RELEASES.map((release) => ({ value: release, label: release.toUpperCase() }))}
      onChange={(release) => {
        if (isRelease(release)) void navigate(inRelease(release));
      }}
    />
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
