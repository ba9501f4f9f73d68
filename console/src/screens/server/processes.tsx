/** The processes of the server, and what each says of itself. */
import { Badge, Text } from '@mantine/core';
import type { ServerProcess } from '../../api/administration';
import { formatDateTime } from '../../fhir/format-date';
import { Part } from '../../layout/heading';
import { NUMBER, RecordTable } from '../../layout/record-table';
import { texts } from '../../texts';
import { StatusBadge } from '../administration/status-badge';
import { formatBytes, formatCount } from '../administration/tenants/amounts';
import { nameOf, type Report } from './use-server';

const words = texts.server.processes;

export interface ProcessesProps {
  readonly processes: readonly ServerProcess[];
  readonly hasRedis: boolean;
}

/** A cell of what a process says; empty for one that is silent. */
const said =
  (cell: (report: Report) => React.ReactNode) =>
  ({ report }: ServerProcess): React.ReactNode =>
    report === undefined ? '' : cell(report);

const Second = ({ children }: { readonly children: string }) => (
  <Text size="xs" c="dimmed">
    {children}
  </Text>
);

export function Processes({ processes, hasRedis }: ProcessesProps) {
  return (
    <Part title={words.title} {...(hasRedis ? {} : { hint: words.others })}>
      <RecordTable
        rows={processes}
        caption={words.caption}
        group={words.caption}
        hasCaption
        minWidth={820}
        keyOf={({ report }, index) => (report === undefined ? index : `${report.host} ${report.pid}`)}
        columns={[
          {
            title: words.process,
            cell: ({ report, answers }) => (
              <>
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  {report === undefined ? words.silent : nameOf(report)}
                </Text>
                {report === undefined ? null : <Second>{words.pid(report.pid)}</Second>}
                {answers ? (
                  <Badge variant="light" tt="none" styles={{ label: { overflow: 'visible' } }}>
                    {words.answers}
                  </Badge>
                ) : null}
              </>
            ),
          },
          {
            title: words.version,
            cell: said(({ version, node }) => (
              <>
                {version}
                <Second>{words.node(node)}</Second>
              </>
            )),
          },
          { title: words.started, cell: said(({ started }) => formatDateTime(started)) },
          {
            title: words.memory,
            cell: said(({ memory: { resident, heap, limit } }) => (
              <>
                {formatBytes(resident)}
                <Second>{words.heap(formatBytes(heap), formatBytes(limit))}</Second>
              </>
            )),
          },
          {
            title: words.requests,
            ...NUMBER,
            cell: said(({ requests, liveQueries }) => (
              <>
                {formatCount(requests)}
                <Second>{words.liveQueries(formatCount(liveQueries))}</Second>
              </>
            )),
          },
          {
            title: words.deliveries,
            ...NUMBER,
            cell: said(({ subscriptions, failingSubscriptions }) => (
              <>
                {formatCount(subscriptions)}
                {failingSubscriptions === 0 ? null : (
                  <Second>{words.failing(formatCount(failingSubscriptions))}</Second>
                )}
              </>
            )),
          },
          {
            title: words.redis,
            cell: said(({ redis }) => (
              <StatusBadge isGood={redis} label={redis ? words.reached : words.away} />
            )),
          },
        ]}
      />
    </Part>
  );
}
