/** The versions of a record as a table: when, who, what. */
import { Anchor, Badge, Button, Group, Table, Text } from '@mantine/core';
import { Link } from 'react-router';
import { formatDateTime } from '../../../fhir/format-date';
import { resourcePath, type Space } from '../../../place';
import { texts } from '../../../texts';
import { AuthorView } from './history-author';
import { useAuthors, type Author } from './history-people';
import type { Restorable } from './history-restore';
import type { HistoryRow } from './history-versions';

const { history } = texts;
const COLORS = { created: 'teal', updated: 'blue', deleted: 'red', restored: 'violet' } as const;

export interface HistoryListProps {
  readonly space: Space;
  readonly address: { readonly type: string; readonly id: string };
  readonly rows: readonly HistoryRow[];
  /** Shows what a version changed. */
  readonly onShow: (versionId: string) => void;
  readonly onRestore: (chosen: Restorable) => void;
}

export function HistoryList({ space, address, rows, onShow, onRestore }: HistoryListProps) {
  const authorOf = useAuthors(
    space,
    address,
    rows.map(({ version }) => version),
  );
  return (
    <Table.ScrollContainer minWidth={760} type="native" tabIndex={0} role="group" aria-label={history.title}>
      <Table verticalSpacing="xs" highlightOnHover captionSide="top">
        <Table.Caption ta="left">{history.caption}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            {[history.version, history.when, history.who, history.change, history.what, history.actions].map(
              (title) => (
                <Table.Th key={title}>{title}</Table.Th>
              ),
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => (
            <Row
              key={row.version.versionId}
              space={space}
              address={address}
              row={row}
              author={authorOf(row.version)}
              isCurrent={index === 0}
              onShow={row.changes === undefined ? undefined : onShow}
              onRestore={index === 0 ? undefined : onRestore}
            />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface RowProps extends Pick<HistoryListProps, 'space' | 'address'> {
  readonly row: HistoryRow;
  readonly author: Author;
  readonly isCurrent: boolean;
  readonly onShow: HistoryListProps['onShow'] | undefined;
  readonly onRestore: HistoryListProps['onRestore'] | undefined;
}

function Row({ space, address, row, author, isCurrent, onShow, onRestore }: RowProps) {
  const { version, kind } = row;
  const { versionId, resource } = version;
  return (
    <Table.Tr>
      <Table.Td>
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
          {isCurrent ? (
            <Badge size="xs" variant="default" tt="none" miw="max-content">
              {history.current}
            </Badge>
          ) : null}
        </Group>
      </Table.Td>
      <Table.Td>
        <Text size="sm">{formatDateTime(version.lastUpdated)}</Text>
      </Table.Td>
      <Table.Td>
        <AuthorView space={space} author={author} />
      </Table.Td>
      <Table.Td>
        <Badge size="sm" variant="dot" tt="none" miw="max-content" color={COLORS[kind]}>
          {history[kind]}
        </Badge>
      </Table.Td>
      <Table.Td>
        <Changes row={row} />
      </Table.Td>
      <Table.Td>
        <Group gap={6} wrap="nowrap">
          {onShow === undefined ? null : (
            <Button
              size="compact-xs"
              variant="default"
              aria-label={history.showChanges(versionId)}
              onClick={() => onShow(versionId)}
            >
              {history.changes}
            </Button>
          )}
          {onRestore === undefined || resource === undefined ? null : (
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
      </Table.Td>
    </Table.Tr>
  );
}

function Changes({ row: { changes } }: { readonly row: HistoryRow }) {
  if (changes === undefined) return null;
  const { paths, more } = changes;
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
