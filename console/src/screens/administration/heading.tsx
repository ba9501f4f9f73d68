/** The headings of a screen and of its parts. */
import { Group, Stack, Text, Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { useScreenTitle, useTitle } from '../../layout/use-title';

/**
 * The first heading of a screen, which also names the tab. `title`: by default that of the table of screens; `place`: what the
 * tab says after it, such as the tenant.
 */
export function ScreenHeading({
  title: given,
  place,
  intro,
  children,
}: {
  readonly title?: string;
  readonly place?: string;
  readonly intro?: string;
  readonly children?: ReactNode;
}) {
  const named = useScreenTitle();
  const title = given ?? named;
  useTitle(place === undefined ? title : `${title} · ${place}`);
  return (
    <Group justify="space-between" align="start" gap="sm">
      <Stack gap={2} flex="1 1 320px">
        <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        {intro === undefined ? null : (
          <Text c="dimmed" maw={760}>
            {intro}
          </Text>
        )}
      </Stack>
      {children}
    </Group>
  );
}

/** A part of a screen under a heading of its own. */
export function Part({
  title,
  hint,
  children,
}: {
  readonly title: string;
  readonly hint?: string;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Title order={2} size="h4" id={id} mb={hint === undefined ? 'sm' : 2}>
        {title}
      </Title>
      {hint === undefined ? null : (
        <Text size="sm" c="dimmed" mb="sm" maw={760}>
          {hint}
        </Text>
      )}
      {children}
    </section>
  );
}
