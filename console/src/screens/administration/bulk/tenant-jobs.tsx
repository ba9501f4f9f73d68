/** The exports and imports of all clients of a tenant: who began them, how far they are, and their end. */
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { cancelJob, listJobs, type Job } from '../../../api/administration';
import { formatDateTime } from '../../../fhir/format-date';
import { ANYWHERE, RecordTable } from '../../../layout/record-table';
import { texts } from '../../../texts';
import { Confirm } from '../confirm';
import { STATE_COLORS, isOpen } from '../jobs/job-words';
import { useClients, useJobsChanged, useUsers } from '../queries';
import { StateBadge } from '../status-badge';
import { formatCount } from '../tenants/amounts';

const words = texts.administration.bulkScreen;
const REFRESH_MS = 5_000;

type BulkJob = Extract<Job, { kind: 'export' | 'import' }>;
const isBulk = (job: Job): job is BulkJob => job.kind === 'export' || job.kind === 'import';

export function TenantJobs({ tenant }: { readonly tenant: string }) {
  const changed = useJobsChanged(tenant);
  const jobs = useQuery({
    queryKey: ['administration', tenant, 'jobs'],
    queryFn: () => listJobs(tenant),
    select: (list) => list.filter(isBulk),
    refetchInterval: ({ state }) => (state.data?.some(isOpen) === true ? REFRESH_MS : false),
  });
  const { data: clients = [] } = useClients(tenant);
  const { data: users = [] } = useUsers(tenant);
  const beginnerOf = ({ by }: BulkJob): readonly string[] => {
    if (by === undefined) return [words.operator];
    const client = clients.find(({ id }) => id === by.client)?.name ?? by.client;
    const person = users.find(({ id }) => id === by.person)?.name ?? by.person;
    return person === undefined ? [client] : [person, client];
  };
  const remove = async (job: BulkJob): Promise<void> => {
    await cancelJob(tenant, job.id);
    changed();
  };
  return (
    <RecordTable
      query={jobs}
      empty={words.none}
      caption={words.allJobs}
      group={words.allJobs}
      minWidth={640}
      maxHeight={480}
      keyOf={({ id }) => id}
      columns={[
        { title: words.level, ...ANYWHERE, cell: (job) => <bdi>{describe(job)}</bdi> },
        {
          title: words.begunBy,
          ...ANYWHERE,
          cell: (job) => beginnerOf(job).map((each) => <div key={each}>{each}</div>),
        },
        { title: words.begunAt, cell: ({ created }) => formatDateTime(created) },
        {
          title: words.state,
          cell: (job) => (
            <Stack gap={2} align="start">
              <StateBadge
                color={STATE_COLORS[job.state]}
                label={job.cancelling ? words.cancelling : texts.administration.jobs.states[job.state]}
              />
              <Text size="xs">{progressOf(job)}</Text>
            </Stack>
          ),
        },
        {
          title: words.action,
          cell: (job) => {
            const label = isOpen(job) ? words.stop : words.remove;
            return (
              <Confirm
                label={label}
                name={words.of(label, `${describe(job)}, ${formatDateTime(job.created)}`)}
                title={words.endTitle}
                words={words.endWords}
                action={label}
                button={{ size: 'compact-xs' }}
                run={() => remove(job)}
              />
            );
          },
        },
      ]}
    />
  );
}

const LEVELS = { system: 'system', patient: 'Patient', group: 'Group' } as const;

/** What was asked for. */
function describe(job: BulkJob): string {
  const release = job.request.release.toUpperCase();
  if (job.kind === 'import') {
    const { names = [], files, codeSystem } = job.request;
    const more = files - names.length;
    const listed = more > 0 ? [...names, words.moreFiles(formatCount(more))] : names;
    const format = codeSystem === undefined ? [] : [words.codeSystem(codeSystem)];
    return words.titleOf(words.kinds.import, [words.filesOf(listed), ...format, release].join(' · '));
  }
  const { level, group, types = [], since = '' } = job.request;
  const what = level === 'group' ? `Group/${group ?? ''}` : words.levels[LEVELS[level]];
  const parts = [what, types.join(', '), since, release].filter((part) => part !== '');
  return words.titleOf(words.kinds.export, parts.join(' · '));
}

function progressOf(job: BulkJob): string {
  if (job.failure !== undefined) return job.failure;
  if (job.kind === 'import') {
    const { written, refused } = job.result ?? job.progress ?? {};
    if (written === undefined || refused === undefined) return '';
    return words.importCounts(formatCount(written), formatCount(refused));
  }
  const { result, progress } = job;
  if (result !== undefined) return words.exportCounts(formatCount(result.lines), formatCount(result.files));
  if (progress === undefined) return '';
  const { typesDone, types, resources } = progress;
  return words.exporting(formatCount(typesDone), formatCount(types), formatCount(resources));
}
