/** Resource types as links with the number of their records. */
import { Badge, Card, Group, SimpleGrid, Text, Title, VisuallyHidden } from '@mantine/core';
import { useId } from 'react';
import { Link } from 'react-router';
import { fhirPath, type Space } from '../../place';
import { texts } from '../../texts';

const { resources } = texts;

export interface TypeListProps {
  readonly space: Space;
  readonly title: string;
  readonly types: readonly string[];
  readonly counts: ReadonlyMap<string, number>;
}

export function TypeList({ space, title, types, counts }: TypeListProps) {
  const id = useId();
  if (types.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <Title order={2} size="h5" id={id} mb="xs">
        {title}{' '}
        <Text span size="sm" c="dimmed" fw={400}>
          {types.length}
        </Text>
      </Title>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3, lg: 4 }} spacing="xs" verticalSpacing="xs" role="list">
        {types.map((type) => (
          <div key={type} role="listitem">
            <TypeCard space={space} type={type} count={counts.get(type)} />
          </div>
        ))}
      </SimpleGrid>
    </section>
  );
}

function TypeCard({
  space,
  type,
  count,
}: {
  readonly space: Space;
  readonly type: string;
  readonly count: number | undefined;
}) {
  return (
    <Card component={Link} to={fhirPath(space, type)} withBorder px="sm" py={8}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" fw={count === 0 ? 400 : 600} truncate title={type}>
          {type}
        </Text>
        {count === undefined || count === 0 ? null : (
          <Badge variant="light" color="gray" c="inherit">
            {count.toLocaleString()}
            <VisuallyHidden> {resources.records(count)}</VisuallyHidden>
          </Badge>
        )}
      </Group>
    </Card>
  );
}
