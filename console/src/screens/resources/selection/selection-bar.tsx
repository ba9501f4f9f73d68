/** What a person does with selected records: delete, tag, save as a file. */
import { Button, Group, Paper, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { loadMatches } from '../../../api/load-matches';
import { saveFile } from '../../../editor/download';
import { toCsv, toNdjson } from '../../../fhir/csv';
import type { Column } from '../../../fhir/search/search-columns';
import { FailureView } from '../../../layout/failure-view';
import { IconDownload, IconTrash } from '../../../layout/icons/icons';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { DeleteRecords } from './delete-records';
import { TagRecords } from './tag-records';
import type { Selection } from './use-selection';

const { selection: words, id } = texts.resources;
/** More are work for bulk export and for programs. */
const MOST = 1_000;

export interface SelectionBarProps {
  readonly space: Space;
  readonly type: string;
  /** Criteria and order of the search, without its page. */
  readonly query: string;
  readonly columns: readonly Column[];
  readonly selection: Selection;
  /** True: the search has more matches than this page. */
  readonly hasMore: boolean;
}

export function SelectionBar({ space, type, query, columns, selection, hasMore }: SelectionBarProps) {
  const [dialog, setDialog] = useState<'delete' | 'tag'>();
  const running = useRef<AbortController>(null);
  const loading = useMutation({
    mutationFn: () => {
      const controller = new AbortController();
      running.current = controller;
      return loadMatches(space, { type, query }, { limit: MOST, signal: controller.signal });
    },
    onSuccess: ({ records }) => selection.toggle(records, true),
  });
  const records = [...selection.records.values()];
  if (records.length === 0) return null;
  const save = (name: string, text: string, media: string): void =>
    saveFile(`${type}.${name}`, new Blob([text], { type: media }));
  return (
    <Paper withBorder p="xs" role="group" aria-label={words.title}>
      <Group gap="xs">
        <Text size="sm" fw={600} role="status">
          {words.selected(records.length)}
        </Text>
        {hasMore ? (
          <Button size="xs" variant="default" loading={loading.isPending} onClick={() => loading.mutate()}>
            {words.selectAll(MOST)}
          </Button>
        ) : null}
        <Button size="xs" variant="default" onClick={selection.clear}>
          {words.clear}
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
          onClick={() => save('csv', toCsv(columns, records, id), 'text/csv;charset=utf-8')}
        >
          {words.csv}
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
          onClick={() => save('ndjson', toNdjson(records), 'application/fhir+ndjson')}
        >
          {words.ndjson}
        </Button>
        <Button size="xs" variant="default" onClick={() => setDialog('tag')}>
          {words.tag}
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconTrash size={14} aria-hidden />}
          onClick={() => setDialog('delete')}
        >
          {words.delete}
        </Button>
      </Group>
      {loading.data?.isCut === true ? <Text size="xs">{words.cut(MOST)}</Text> : null}
      {loading.isError ? <FailureView error={loading.error} /> : null}
      <DeleteRecords
        {...{ space, type, records }}
        isOpen={dialog === 'delete'}
        onClose={() => setDialog(undefined)}
        onDone={selection.clear}
      />
      <TagRecords
        {...{ space, type, records }}
        isOpen={dialog === 'tag'}
        onClose={() => setDialog(undefined)}
        onDone={selection.clear}
      />
    </Paper>
  );
}
