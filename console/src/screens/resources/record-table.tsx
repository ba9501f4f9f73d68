/** Records of one type as a table. */
import { Anchor, Table, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '../../layout/icons/icons';
import { Link, useLocation, useNavigate } from 'react-router';
import { textOf, type JsonObject } from '../../api/json';
import { cellOf, type Column } from '../../fhir/search-columns';
import { formatQuery, parseQuery } from '../../fhir/search-query';
import { resourcePath, type Space } from '../../place';
import { texts } from '../../texts';
import { Cell } from './cell';
import classes from './record-table.module.css';

const { resources } = texts;

export interface RecordTableProps {
  readonly space: Space;
  readonly type: string;
  readonly query: string;
  readonly columns: readonly Column[];
  readonly records: readonly JsonObject[];
}

export function RecordTable({ space, type, query, columns, records }: RecordTableProps) {
  const navigate = useNavigate();
  return (
    <Table.ScrollContainer minWidth={Math.min(columns.length * 140 + 140, 900)}>
      <Table highlightOnHover verticalSpacing={6} className={classes['table'] ?? ''}>
        <Table.Caption className={classes['caption'] ?? ''}>{resources.results(type)}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{resources.id}</Table.Th>
            {columns.map((column) => (
              <ColumnHeader key={column.name} column={column} query={query} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {records.map((record) => {
            const id = textOf(record['id']) ?? '';
            const path = resourcePath(space, type, id);
            return (
              // The link in the first cell is for the keyboard.
              <Table.Tr
                key={id}
                className={classes['row'] ?? ''}
                onClick={(event) => {
                  const isLink = event.target instanceof Element && event.target.closest('a') !== null;
                  if (!isLink && getSelection()?.isCollapsed !== false) void navigate(path);
                }}
              >
                <Table.Td>
                  <Anchor component={Link} to={path} size="sm" className={classes['id'] ?? ''}>
                    {id}
                  </Anchor>
                </Table.Td>
                {columns.map((column) => (
                  <Table.Td key={column.name}>
                    <Cell space={space} {...cellOf(record, column)} />
                  </Table.Td>
                ))}
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** A header that sorts, where the server can sort by its column. */
function ColumnHeader({ column, query }: { readonly column: Column; readonly query: string }) {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const parsed = parseQuery(query);
  const { label, sortedBy, short } = column;
  if (sortedBy === undefined)
    return (
      <Table.Th scope="col" title={short}>
        {label}
      </Table.Th>
    );
  const [key] = parsed.sort;
  const order =
    key?.name !== sortedBy ? undefined : key.isDescending ? ('descending' as const) : ('ascending' as const);
  const sort = [{ name: sortedBy, isDescending: order === 'ascending' }];
  const Arrow = order === 'descending' ? IconArrowDown : IconArrowUp;
  return (
    <Table.Th scope="col" aria-sort={order ?? 'none'} title={short}>
      <UnstyledButton
        className={classes['sort'] ?? ''}
        aria-label={resources.sortBy(label)}
        onClick={() => void navigate(`${pathname}?${formatQuery({ ...parsed, sort, cursor: undefined })}`)}
      >
        {label}
        {order === undefined ? null : <Arrow size={14} aria-hidden />}
      </UnstyledButton>
    </Table.Th>
  );
}
