/** An export or import that was begun: how far it is, its files, and its end. */
import { Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { readBulkFile, readBulkState, removeBulkJob, type BulkFile, type BulkState } from '../../../api/bulk';
import { dropBulkJob, type BegunJob } from '../../../api/bulk-jobs';
import { saveFile } from '../../../editor/download';
import { formatDateTime } from '../../../fhir/format-date';
import { FailureView } from '../../../layout/failure-view';
import { NUMBER, RecordTable } from '../../../layout/record-table';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { useJobsChanged } from '../queries';
import { StateBadge } from '../status-badge';

const words = texts.administration.bulkScreen;
/** The server answers 60 questions a minute about one job. */
const EVERY_MS = 2_000;

export interface BulkJobProps {
  readonly space: Space;
  readonly job: BegunJob;
}

export function BulkJob({ space, job }: BulkJobProps) {
  const state = useQuery({
    queryKey: ['bulk', space, job.id],
    queryFn: ({ signal }) => readBulkState(space, job.id, signal),
    refetchInterval: ({ state: { data } }) => (data?.state === 'running' ? EVERY_MS : false),
    retry: false,
  });
  const changed = useJobsChanged(space.tenant);
  const removing = useMutation({
    mutationFn: () => removeBulkJob(space, job.id),
    onSuccess: () => {
      dropBulkJob(space, job.id);
      changed();
    },
  });
  const title = words.titleOf(words.kinds[job.kind], job.title);
  const { data } = state;
  const isGone = data?.state === 'gone';
  const action = isGone ? words.removed : data?.state === 'running' ? words.cancel : words.remove;
  return (
    <Paper withBorder p="sm" component="article" aria-label={title}>
      <Stack gap="xs">
        <Group justify="space-between" gap="sm">
          <Group gap="sm">
            <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
              {words.kinds[job.kind]}: <bdi>{job.title}</bdi>
            </Text>
            <div role="status">{data === undefined && !state.isError ? null : <Badge state={data} />}</div>
          </Group>
          <Button
            size="xs"
            variant="default"
            aria-label={words.of(action, title)}
            loading={removing.isPending}
            onClick={() => (isGone ? dropBulkJob(space, job.id) : removing.mutate())}
          >
            {action}
          </Button>
        </Group>
        <Text size="xs" c="dimmed">
          {timesOf(job, data)}
        </Text>
        {removing.isError ? <FailureView error={removing.error} isOfRecords /> : null}
        {state.isError ? (
          <FailureView error={state.error} retry={() => void state.refetch()} isOfRecords />
        ) : null}
        {data === undefined ? null : <Details space={space} job={job} state={data} />}
      </Stack>
    </Paper>
  );
}

function timesOf({ at }: BegunJob, state: BulkState | undefined): string {
  const done = state?.state === 'done' ? state : undefined;
  return [
    words.begun(formatDateTime(at)),
    ...(done === undefined || done.time === '' ? [] : [words.asOf(formatDateTime(done.time))]),
    ...(done === undefined || done.expires === ''
      ? []
      : [words.until(formatDateTime(new Date(done.expires).toISOString()))]),
  ].join(', ');
}

/** Undefined: it has failed. */
function Badge({ state }: { readonly state: BulkState | undefined }) {
  if (state === undefined) return <StateBadge color="red" label={words.failed} />;
  if (state.state === 'gone') return null;
  if (state.state === 'running') return <StateBadge color="blue" label={words.running} />;
  return <StateBadge color="teal" label={words.done} />;
}

function Details({ space, job, state }: BulkJobProps & { readonly state: BulkState }) {
  if (state.state === 'gone') return <Text size="sm">{words.gone}</Text>;
  if (state.state === 'running')
    return (
      <div>
        <Text size="sm" mb={4}>
          {state.progress}
        </Text>
        <Progress value={percentIn(state.progress)} animated aria-label={state.progress || words.running} />
      </div>
    );
  return (
    <RecordTable
      rows={state.files}
      caption={words.caption}
      empty={words.noFiles}
      look={{ verticalSpacing: 4 }}
      minWidth={360}
      maxHeight={360}
      group={words.caption}
      keyOf={({ kind, name, title }, index) => `${kind} ${name ?? title} ${index}`}
      columns={[
        { title: words.file, cell: ({ title }) => <bdi>{title}</bdi> },
        {
          title: words.content,
          cell: ({ kind, name }) => (name === undefined ? words.written : words.kindsOfFile[kind]),
        },
        { title: words.count, ...NUMBER, cell: ({ count }) => count.toLocaleString('en') },
        { title: words.save, cell: (file) => <Save space={space} job={job} file={file} /> },
      ]}
    />
  );
}

/** The share that a text such as `3 of 10 types` states; 0: none. */
export function percentIn(progress: string): number {
  const [, done = '', all = ''] = /([\d,]+) of ([\d,]+)/.exec(progress) ?? [];
  const [one, whole] = [done, all].map((text) => Number(text.replaceAll(',', '')));
  return one === undefined || whole === undefined || whole === 0 ? 0 : Math.min(100, (100 * one) / whole);
}

function Save({ space, job, file }: BulkJobProps & { readonly file: BulkFile }) {
  const { name, title, kind } = file;
  const saving = useMutation({
    mutationFn: async () => readBulkFile(space, job.id, name ?? ''),
    onSuccess: (content) => {
      const own = name ?? title;
      saveFile(/\.ndjson$/.test(own) ? own : `${own}.ndjson`, content);
    },
  });
  if (name === undefined) return null;
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={words.saveOf(`${title} ${words.kindsOfFile[kind]}`)}
        loading={saving.isPending}
        onClick={() => saving.mutate()}
      >
        {words.save}
      </Button>
      {saving.isError ? <FailureView error={saving.error} isOfRecords /> : null}
    </>
  );
}
