/** A client or person of an event: the name, and the id or record. */
import { Text } from '@mantine/core';
import type { AuditEvent } from '../../../api/administration';
import type { Space } from '../../../place';
import { isLinked } from './audit-event';
import { RecordLink } from './record-link';

export function AgentName({
  space,
  agent: { id, name = id },
}: {
  readonly space: Space;
  readonly agent: NonNullable<AuditEvent['client']>;
}) {
  return (
    <Text size="sm" miw={110} style={{ overflowWrap: 'anywhere' }} title={id}>
      {isLinked(id) ? <RecordLink space={space} reference={id} text={name} /> : <bdi>{name}</bdi>}
    </Text>
  );
}
