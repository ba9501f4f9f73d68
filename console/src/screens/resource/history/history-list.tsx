/** The versions of a record as a table: when, who, what. */
import { Anchor, Badge, Button, Group, Loader, Text } from '@mantine/core';
import { useCallback } from 'react';
import { Link } from 'react-router';
import { diffSteps, pathsOf, withoutServerMeta } from '../../../fhir/compare/diff';
import { formatDateTime } from '../../../fhir/format-date';
import { RecordTable, type More } from '../../../layout/record-table';
import { useSliced } from '../../../layout/use-sliced';
import { resourcePath, type Space } from '../../../place';
import { texts } from '../../../texts';
import { AuthorView } from './history-author';
import { useAuthors } from './history-people';
import type { Restorable } from './history-restore';
import type { HistoryRow } from './history-versions';

const { history, common } = texts;
const COLORS = { created: 'teal', updated: 'blue', deleted: 'red', restored: 'violet' } as const;

export interface HistoryListProps {
  readonly space: Space;
  readonly address: { readonly type: string; readonly id: string };
  readonly rows: readonly HistoryRow[];
  readonly more: More | undefined;
  /** Shows what a version changed. */
  readonly onShow: (versionId: string) => void;
  readonly onRestore: (chosen: Restorable) => void;
}

export function HistoryList({ space, address, rows, more, onShow, onRestore }: HistoryListProps) {
  const authorOf = useAuthors(
    space,
    address,
    rows.map(({ version }) => version),
  );
  const current = rows[0]?.version.versionId;
  return (
    <RecordTable
      rows={rows}
      caption={history.caption}
      hasCaption
      look={{ verticalSpacing: 'xs' }}
      minWidth={760}
      group={history.title}
      keyOf={({ version }) => version.versionId}
      more={more}
      columns={[
        {
          title: history.version,
          cell: ({ version: { versionId, resource } }) => (
            <Group gap={6} wrap="nowrap">
              {resource === undefined ? (
                <Text size="sm">{versionId}</Text>
              ) : (
                <Anchor
                  component={Link}
                  size="sm"
                  aria-label={history.versionNumber(versionId)}
                  to={resourcePath(space, address.type, address.id, versionId)}
                >
                  {versionId}
                </Anchor>
              )}
              {versionId === current ? (
                <Badge size="xs" variant="default" tt="none" miw="max-content">
                  {history.current}
                </Badge>
              ) : null}
            </Group>
          ),
        },
        { title: history.when, cell: ({ version }) => formatDateTime(version.lastUpdated) },
        {
          title: history.who,
          cell: ({ version }) => <AuthorView space={space} author={authorOf(version)} />,
        },
        {
          title: history.change,
          cell: ({ kind }) => (
            <Badge size="sm" variant="dot" tt="none" miw="max-content" color={COLORS[kind]}>
              {history[kind]}
            </Badge>
          ),
        },
        { title: history.what, cell: (row) => <Changes row={row} /> },
        {
          title: history.actions,
          cell: ({ version: { versionId, resource }, old }) => (
            <Group gap={6} wrap="nowrap">
              {old === undefined ? null : (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={history.showChanges(versionId)}
                  onClick={() => onShow(versionId)}
                >
                  {history.changes}
                </Button>
              )}
              {versionId === current || resource === undefined ? null : (
                <Button
                  size="compact-xs"
                  variant="light"
                  aria-label={history.restoreVersion(versionId)}
                  onClick={() => onRestore({ versionId, resource })}
                >
                  {history.restore}
                </Button>
              )}
            </Group>
          ),
        },
      ]}
    />
  );
}

/** The elements that a version changed. */
function Changes({ row: { version, old } }: { readonly row: HistoryRow }) {
  const { resource } = version;
  const compare = useCallback(
    () =>
      diffSteps(withoutServerMeta(old ?? {}), withoutServerMeta(old === undefined ? {} : (resource ?? {}))),
    [old, resource],
  );
  const differences = useSliced(compare);
  if (old === undefined) return null;
  if (differences === undefined) return <Loader size="xs" aria-label={common.loading} />;
  const { paths, more } = pathsOf(differences);
  if (paths.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {history.nothingChanged}
      </Text>
    );
  return (
    <Text size="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
      {paths.join(', ')}
      {more === 0 ? '' : ` ${history.andMore(more)}`}
    </Text>
  );
}
