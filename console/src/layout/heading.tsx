/** The headings of a screen and of its parts. */
import { Group, Stack, Text, Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { useScreenTitle, useTitle } from './use-title';

/**
 * The first heading of a screen, which also names the tab. `title`: by default that of the table of screens; `place`: what the
 * tab says after it, such as the tenant.
 */
export function ScreenHeading({
  title: given,
  tab,
  place,
  intro,
  children,
}: {
  readonly title?: string;
  /** What the tab says in place of the title; an empty text leaves the product alone. */
  readonly tab?: string;
  readonly place?: string;
  readonly intro?: string;
  readonly children?: ReactNode;
}) {
  const named = useScreenTitle();
  const title = given ?? named;
  useTitle(tab ?? (place === undefined ? title : `${title} · ${place}`));
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
  beside,
  children,
}: {
  readonly title: string;
  readonly hint?: string;
  /** Stands beside the heading. */
  readonly beside?: ReactNode;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Group gap="sm" mb={hint === undefined ? 'sm' : 2}>
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {beside}
      </Group>
      {hint === undefined ? null : (
        <Text size="sm" c="dimmed" mb="sm" maw={760}>
          {hint}
        </Text>
      )}
      {children}
    </section>
  );
}
