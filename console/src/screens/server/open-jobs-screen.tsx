/** The jobs of all tenants that have not ended. */
import { Anchor, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { listOpenJobs, stopJob } from '../../api/administration';
import { formatDateTime } from '../../fhir/format-date';
import { ScreenHeading } from '../../layout/heading';
import { RecordTable } from '../../layout/record-table';
import { operatorPath } from '../../place';
import { texts } from '../../texts';
import { Confirm } from '../administration/confirm';
import { StateBadge } from '../administration/status-badge';

const words = texts.server.jobsScreen;
const KEY = ['server', 'jobs'];
const REFRESH_MS = 15_000;

export function OpenJobsScreen() {
  const queries = useQueryClient();
  const jobs = useQuery({ queryKey: KEY, queryFn: listOpenJobs, refetchInterval: REFRESH_MS });
  const stop = async (job: string): Promise<void> => {
    await stopJob(job);
    await queries.invalidateQueries({ queryKey: KEY });
  };
  const kindOf = (kind: string): string => words.kinds[kind] ?? kind;
  return (
    <Stack gap="md">
      <ScreenHeading intro={words.intro} />
      <RecordTable
        query={jobs}
        empty={words.none}
        caption={words.caption}
        group={words.caption}
        hasCaption
        minWidth={640}
        keyOf={({ id }) => id}
        columns={[
          {
            title: words.tenant,
            cell: ({ tenant }) => (
              <Anchor component={Link} to={operatorPath(tenant)} size="sm">
                {tenant}
              </Anchor>
            ),
          },
          {
            title: words.kind,
            cell: ({ kind, release }) =>
              kind === 'request' ? `${kindOf(kind)}, ${release.toUpperCase()}` : kindOf(kind),
          },
          {
            title: words.state,
            cell: ({ state, cancelling }) => (
              <StateBadge
                color={state === 'running' ? 'blue' : 'gray'}
                label={cancelling ? words.cancelling : words.states[state]}
              />
            ),
          },
          { title: words.created, cell: ({ created }) => formatDateTime(created) },
          {
            title: words.started,
            cell: ({ started }) => (started === undefined ? '' : formatDateTime(started)),
          },
          {
            title: words.actions,
            cell: ({ id, kind, tenant, cancelling }) =>
              cancelling ? null : (
                <Confirm
                  label={words.stop}
                  name={words.stopOf(kindOf(kind), tenant)}
                  title={words.stopTitle}
                  words={words.stopWords}
                  action={words.stop}
                  run={() => stop(id)}
                />
              ),
          },
        ]}
      />
    </Stack>
  );
}
