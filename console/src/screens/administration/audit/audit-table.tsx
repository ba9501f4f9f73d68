/** The rows of the audit trail; each opens its details. */
import { Text } from '@mantine/core';
import type { AuditEvent } from '../../../api/administration';
import { formatDateTime } from '../../../fhir/format-date';
import { RecordTable, type More } from '../../../layout/record-table';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { StateBadge } from '../status-badge';
import { AgentName } from './agent-name';
import { AuditDetails } from './audit-details';
import { shownQuery } from './audit-event';
import { RecordLink } from './record-link';

const words = texts.administration.auditScreen;
const SHOWN = 2;

const labelOf = (labels: Readonly<Record<string, string>>, code: string): string => labels[code] ?? code;

export interface AuditTableProps {
  readonly space: Space;
  readonly rows: readonly AuditEvent[];
  readonly more: More | undefined;
}

export function AuditTable({ space, rows, more }: AuditTableProps) {
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
        { title: words.when, cell: (row) => <When row={row} /> },
        {
          title: words.who,
          cell: ({ person, client }) => (
            <>
              {person === undefined ? null : <AgentName space={space} agent={person} />}
              {client === undefined ? null : <AgentName space={space} agent={client} />}
            </>
          ),
        },
        {
          title: words.what,
          cell: ({ interaction, action, isOfServer }) => (
            <>
              <Text size="sm">{interaction}</Text>
              <Text size="xs" c="dimmed">
                {labelOf(words.actions, action)}
              </Text>
              {isOfServer ? null : <Text size="xs">{words.ofClient}</Text>}
            </>
          ),
        },
        { title: words.which, cell: (row) => <Records space={space} row={row} /> },
        { title: words.outcome, cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
        { title: words.address, cell: ({ address = '' }) => address },
      ]}
    />
  );
}

function When({ row: { recorded, first, times } }: { readonly row: AuditEvent }) {
  return (
    <>
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
        {formatDateTime(recorded)}
      </Text>
      {first === undefined ? null : <Text size="xs">{words.times(times, formatDateTime(first))}</Text>}
    </>
  );
}

function Records({ space, row }: { readonly space: Space; readonly row: AuditEvent }) {
  const records = row.resources.length > 0 ? row.resources : row.patients;
  const left = records.length - SHOWN + row.more;
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
          {shownQuery(row.query)}
        </Text>
      ) : null}
    </>
  );
}

function OutcomeBadge({ outcome }: Pick<AuditEvent, 'outcome'>) {
  return (
    <StateBadge color={outcome === 'success' ? 'teal' : 'red'} label={labelOf(words.outcomes, outcome)} />
  );
}
