/** The jobs of a kind, newest first; those that run show how far they are. */
import { Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { cancelJob, listJobs, readJob, type Job } from '../../../api/administration';
import { formatDateTime } from '../../../fhir/format-date';
import { FailureView } from '../../../layout/failure-view';
import { Loaded } from '../../../layout/loaded';
import { texts } from '../../../texts';
import { Part } from '../../../layout/heading';
import { useChange } from '../queries';
import { StateBadge } from '../status-badge';
import { JobResult } from './job-result';
import { STATE_COLORS, isOpen, pollAfter, progressOf, titleOf } from './job-words';

const words = texts.administration.jobs;

export function JobList({
  tenant,
  kind,
  title,
}: {
  readonly tenant: string;
  readonly kind: 'import-package' | 'reindex';
  readonly title: string;
}) {
  const jobs = useQuery({
    queryKey: ['administration', tenant, 'jobs'],
    queryFn: () => listJobs(tenant),
  });
  return (
    <Part title={title}>
      <Loaded query={jobs}>
        {(list) => {
          const ours = list.filter((job) => job.kind === kind);
          if (ours.length === 0) return <Text size="sm">{words.none}</Text>;
          return (
            <Stack gap="sm">
              {ours.map((job) => (
                <JobCard key={job.id} tenant={tenant} job={job} />
              ))}
            </Stack>
          );
        }}
      </Loaded>
    </Part>
  );
}

function JobCard({ tenant, job: first }: { readonly tenant: string; readonly job: Job }) {
  const queries = useQueryClient();
  const wasOpen = isOpen(first);
  const latest = useQuery({
    queryKey: ['job', tenant, first.id],
    queryFn: () => readJob(tenant, first.id),
    enabled: wasOpen,
    refetchInterval: ({ state }) =>
      state.data === undefined || isOpen(state.data) ? pollAfter(first.created, Date.now()) : false,
  });
  const cancelling = useChange(() => cancelJob(tenant, first.id));
  const job = wasOpen ? (latest.data ?? first) : first;
  const hasEnded = wasOpen && !isOpen(job);
  useEffect(() => {
    // The lists of jobs and packages have changed.
    if (hasEnded) void queries.invalidateQueries({ queryKey: ['administration', tenant] });
  }, [hasEnded, queries, tenant]);
  const title = titleOf(job);
  return (
    <Paper withBorder p="sm" component="article" aria-label={title}>
      <Stack gap="xs">
        <Group justify="space-between" gap="sm">
          <Group gap="sm">
            <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
              {title}
            </Text>
            <div role="status">
              <StateBadge
                color={STATE_COLORS[job.state]}
                label={job.cancelling ? words.cancelling : words.states[job.state]}
              />
            </div>
          </Group>
          {job.cancelling ? null : (
            <Button
              size="xs"
              variant="default"
              aria-label={isOpen(job) ? words.cancelOf(title) : words.forgetOf(title)}
              loading={cancelling.isPending}
              onClick={() => cancelling.mutate(undefined)}
            >
              {isOpen(job) ? words.cancel : words.forget}
            </Button>
          )}
        </Group>
        <Text size="xs" c="dimmed">
          {words.started(formatDateTime(job.started ?? job.created))}
          {job.ended === undefined ? null : `, ${words.ended(formatDateTime(job.ended))}`}
        </Text>
        {isOpen(job) ? <JobProgress job={job} /> : null}
        {job.failure === undefined ? null : (
          <Text size="sm" role="alert">
            {job.failure}
          </Text>
        )}
        {cancelling.isError ? <FailureView error={cancelling.error} /> : null}
        {latest.isError ? <FailureView error={latest.error} /> : null}
        {job.result === undefined ? null : <JobResult kind={job.kind} result={job.result} />}
      </Stack>
    </Paper>
  );
}

function JobProgress({ job }: { readonly job: Job }) {
  const progress = progressOf(job);
  const text = progress?.text ?? (job.state === 'running' ? words.begun : words.waiting);
  return (
    <div>
      <Text size="sm" mb={4}>
        {text}
      </Text>
      <Progress value={progress?.percent ?? 0} animated={job.state === 'running'} aria-label={text} />
    </div>
  );
}
