/** The rows of the audit trail; each opens its details. */
import { Text } from '@mantine/core';
import { formatDateTime } from '../../../fhir/format-date';
import { RecordTable, type More } from '../../../layout/record-table';
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

export interface AuditTableProps {
  readonly space: Space;
  readonly rows: readonly AuditRow[];
  readonly more: More | undefined;
}

export function AuditTable({ space, rows, more }: AuditTableProps) {
  const clients = useClients(space.tenant);
  const names = new Map((clients.data ?? []).map(({ id, name }) => [id, name]));
  const nameOf = ({ client, text }: AuditAgent): string => names.get(client ?? '') ?? text;
  return (
    <RecordTable
      rows={rows}
      caption={words.caption}
      hasCaption
      look={{ verticalSpacing: 6 }}
      minWidth={820}
      keyOf={({ id }) => id}
      details={{
        title: words.details,
        label: ({ recorded }) => words.detailsOf(formatDateTime(recorded)),
        view: (row) => <AuditDetails space={space} row={row} />,
      }}
      more={more}
      columns={[
        {
          title: words.when,
          cells: { style: { whiteSpace: 'nowrap' } },
          cell: ({ recorded }) => formatDateTime(recorded),
        },
        {
          title: words.who,
          cell: ({ agents }) =>
            agents.map((agent) => (
              <Text key={agent.text} size="sm" miw={110} style={{ overflowWrap: 'anywhere' }}>
                {agent.reference === undefined ? (
                  nameOf(agent)
                ) : (
                  <RecordLink space={space} reference={agent.reference} text={agent.text} />
                )}
              </Text>
            )),
        },
        {
          title: words.what,
          cell: ({ what, action }) => (
            <>
              <Text size="sm">{what}</Text>
              <Text size="xs" c="dimmed">
                {labelOf(words.actions, action)}
              </Text>
            </>
          ),
        },
        { title: words.which, cell: (row) => <Records space={space} row={row} /> },
        { title: words.outcome, cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
        { title: words.address, cell: ({ addresses }) => addresses.join(', ') },
      ]}
    />
  );
}

function Records({ space, row }: { readonly space: Space; readonly row: AuditRow }) {
  const records = row.records.length > 0 ? row.records : row.patients;
  const left = records.length - SHOWN;
  return (
    <>
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
    </>
  );
}

function OutcomeBadge({ outcome }: { readonly outcome: string }) {
  if (outcome === '') return null;
  return <StateBadge color={outcome === '0' ? 'teal' : 'red'} label={labelOf(words.outcomes, outcome)} />;
}
