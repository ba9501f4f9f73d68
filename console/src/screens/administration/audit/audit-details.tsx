/** Everything that an event says. */
import { Code, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AuditEvent } from '../../../api/administration';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { shownQuery } from './audit-event';
import { RecordLink } from './record-link';

const words = texts.administration.auditScreen;

export function AuditDetails({ space, row }: { readonly space: Space; readonly row: AuditEvent }) {
  const agents = [row.person, row.client].filter((agent) => agent !== undefined);
  return (
    <SimpleGrid cols={2} spacing="md" component="dl" m="xs">
      <References space={space} label={words.which} references={row.resources} />
      <References space={space} label={words.patients} references={row.patients} />
      <Fact label={words.agents} isShown={agents.length > 0}>
        {agents
          .map(({ id, name }) => (name === undefined || name === id ? id : `${name} (${id})`))
          .join(', ')}
      </Fact>
      <Fact label={words.description} isShown={row.reason !== undefined}>
        {row.reason}
      </Fact>
      <Fact label={words.query} isShown={row.query !== undefined}>
        <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {shownQuery(row.query)}
        </Code>
      </Fact>
      <Fact label={words.requestId} isShown={row.request !== undefined}>
        {row.request}
      </Fact>
      <Fact label={words.event} isShown>
        <RecordLink space={space} reference={`AuditEvent/${row.id}`} text={words.open} />
      </Fact>
    </SimpleGrid>
  );
}

function Fact({
  label,
  isShown,
  children,
}: {
  readonly label: string;
  readonly isShown: boolean;
  readonly children: ReactNode;
}) {
  if (!isShown) return null;
  return (
    <div>
      <Text component="dt" size="xs" c="dimmed">
        {label}
      </Text>
      <Text component="dd" m={0} size="sm" style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </div>
  );
}

function References({
  space,
  label,
  references,
}: {
  readonly space: Space;
  readonly label: string;
  readonly references: readonly string[];
}) {
  return (
    <Fact label={label} isShown={references.length > 0}>
      {references.map((reference) => (
        <span key={reference} style={{ display: 'block' }}>
          <RecordLink space={space} reference={reference} />
        </span>
      ))}
    </Fact>
  );
}
