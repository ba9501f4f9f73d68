/** The rows of the audit trail; each opens its details. */
import { ActionIcon, Table, Text } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '../../../layout/icons/icons';
import { Fragment, useState } from 'react';
import { formatDateTime } from '../../../fhir/format-date';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { AuditDetails } from './audit-details';
import { useClients } from '../queries';
import { StateBadge } from '../status-badge';
import type { AuditAgent, AuditRow } from './audit-event';
import { RecordLink } from './record-link';

const words = texts.administration.auditScreen;
const SHOWN = 2;

const labelOf = (labels: Readonly<Record<string, string>>, code: string): string => labels[code] ?? code;

export function AuditTable({ space, rows }: { readonly space: Space; readonly rows: readonly AuditRow[] }) {
  const clients = useClients(space.tenant);
  const names = new Map((clients.data ?? []).map(({ id, name }) => [id, name]));
  const nameOf = ({ client, text }: AuditAgent): string => names.get(client ?? '') ?? text;
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string): void => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  };
  return (
    <Table.ScrollContainer minWidth={820}>
      <Table highlightOnHover verticalSpacing={6}>
        <Table.Caption>{words.caption}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.details}</Table.Th>
            <Table.Th>{words.when}</Table.Th>
            <Table.Th>{words.who}</Table.Th>
            <Table.Th>{words.what}</Table.Th>
            <Table.Th>{words.which}</Table.Th>
            <Table.Th>{words.outcome}</Table.Th>
            <Table.Th>{words.address}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => {
            const isOpen = open.has(row.id);
            return (
              <Fragment key={row.id}>
                <Row space={space} row={row} isOpen={isOpen} toggle={() => toggle(row.id)} nameOf={nameOf} />
                {isOpen ? (
                  <Table.Tr>
                    <Table.Td colSpan={7} bg="var(--mantine-color-default-hover)">
                      <AuditDetails space={space} row={row} />
                    </Table.Td>
                  </Table.Tr>
                ) : null}
              </Fragment>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Row({
  space,
  row,
  isOpen,
  toggle,
  nameOf,
}: {
  readonly space: Space;
  readonly row: AuditRow;
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly nameOf: (agent: AuditAgent) => string;
}) {
  const when = formatDateTime(row.recorded);
  const records = row.records.length > 0 ? row.records : row.patients;
  const left = records.length - SHOWN;
  return (
    <Table.Tr>
      <Table.Td w={40}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-expanded={isOpen}
          aria-label={words.detailsOf(when)}
          onClick={toggle}
        >
          {isOpen ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
        </ActionIcon>
      </Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{when}</Table.Td>
      <Table.Td>
        {row.agents.map((agent) => (
          <Text key={agent.text} size="sm" miw={110} style={{ overflowWrap: 'anywhere' }}>
            {agent.reference === undefined ? (
              nameOf(agent)
            ) : (
              <RecordLink space={space} reference={agent.reference} text={agent.text} />
            )}
          </Text>
        ))}
      </Table.Td>
      <Table.Td>
        <Text size="sm">{row.what}</Text>
        <Text size="xs" c="dimmed">
          {labelOf(words.actions, row.action)}
        </Text>
      </Table.Td>
      <Table.Td>
        {records.slice(0, SHOWN).map((reference) => (
          <Text key={reference} size="sm" style={{ overflowWrap: 'anywhere' }}>
            <RecordLink space={space} reference={reference} />
          </Text>
        ))}
        {left > 0 ? <Text size="xs">{words.moreRecords(left)}</Text> : null}
        {records.length === 0 ? (
          <Text size="xs" ff="monospace" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
            {row.queries[0] ?? ''}
          </Text>
        ) : null}
      </Table.Td>
      <Table.Td>
        <OutcomeBadge outcome={row.outcome} />
      </Table.Td>
      <Table.Td>{row.addresses.join(', ')}</Table.Td>
    </Table.Tr>
  );
}

function OutcomeBadge({ outcome }: { readonly outcome: string }) {
  if (outcome === '') return null;
  return <StateBadge color={outcome === '0' ? 'teal' : 'red'} label={labelOf(words.outcomes, outcome)} />;
}
