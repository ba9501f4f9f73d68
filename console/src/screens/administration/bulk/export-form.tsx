/** Begins an export. */
import { Button, Group, MultiSelect, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { startExport, type ExportRequest } from '../../../api/bulk';
import { keepBulkJob } from '../../../api/bulk-jobs';
import { FailureView } from '../../../layout/failure-view';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { useJobsChanged } from '../queries';
import { useTypes } from '../use-types';

const words = texts.administration.bulkScreen;
const LEVELS: readonly ExportRequest['level'][] = ['system', 'Patient', 'Group'];
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

interface Draft {
  level: ExportRequest['level'];
  group: string;
  types: string[];
  since: string;
  filters: string;
}

function toRequest({ level, group, types, since, filters }: Draft): ExportRequest {
  const lines = filters.split('\n').map((line) => line.trim());
  return {
    ...{ level, types, since: since.trim() },
    group: group.trim().replace(/^Group\//, ''),
    filters: lines.filter((line) => line !== ''),
  };
}

/** What is asked for, in words. */
function titleOf({ level, group, types, since }: ExportRequest): string {
  const what = level === 'Group' ? `Group/${group}` : words.levels[level];
  return [what, types.join(', '), since].filter((part) => part !== '').join(' · ');
}

export function ExportForm({ space }: { readonly space: Space }) {
  const types = useTypes(space);
  const form = useForm<Draft>({
    initialValues: { level: 'system', group: '', types: [], since: '', filters: '' },
    validate: {
      since: (since) => (since.trim() === '' || INSTANT.test(since.trim()) ? null : words.sinceFault),
    },
  });
  const changed = useJobsChanged(space.tenant);
  const starting = useMutation({
    mutationFn: (asked: ExportRequest) => startExport(space, asked),
    onSuccess: (id, asked) => {
      keepBulkJob(space, { id, kind: 'export', title: titleOf(asked) });
      changed();
    },
  });
  return (
    <form onSubmit={form.onSubmit((draft) => starting.mutate(toRequest(draft)))}>
      <Stack gap="sm" maw={640}>
        <Group gap="sm" align="start" grow>
          <Select
            label={words.level}
            data={LEVELS.map((value) => ({ value, label: words.levels[value] }))}
            allowDeselect={false}
            {...form.getInputProps('level')}
          />
          {form.values.level === 'Group' ? (
            <TextInput label={words.group} required autoComplete="off" {...form.getInputProps('group')} />
          ) : null}
        </Group>
        <MultiSelect
          label={words.types}
          description={words.typesHint}
          data={[...types]}
          searchable
          {...form.getInputProps('types')}
        />
        <TextInput
          label={words.since}
          description={words.sinceHint}
          autoComplete="off"
          {...form.getInputProps('since')}
        />
        <Textarea
          label={words.filters}
          description={words.filtersHint}
          autosize
          minRows={1}
          spellCheck={false}
          {...form.getInputProps('filters')}
        />
        <Group>
          <Button type="submit" loading={starting.isPending}>
            {words.startExport}
          </Button>
        </Group>
        {starting.isError ? <FailureView error={starting.error} isOfRecords /> : null}
      </Stack>
    </form>
  );
}
