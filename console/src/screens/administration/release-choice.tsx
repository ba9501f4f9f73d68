import { SegmentedControl } from '@mantine/core';
import { isRelease, RELEASES, type Release } from '../../place';
import { texts } from '../../texts';

/** Chooses a release where the address of the screen names none. */
export function ReleaseChoice({
  value,
  onChange,
}: {
  readonly value: Release;
  readonly onChange: (release: Release) => void;
}) {
  return (
    <SegmentedControl
      aria-label={texts.administration.clientScreens.release}
      size="xs"
      w="fit-content"
      value={value}
      data={RELEASES.map((release) => ({ value: release, label: release.toUpperCase() }))}
      onChange={(release) => {
        if (isRelease(release)) onChange(release);
      }}
    />
  );
}
