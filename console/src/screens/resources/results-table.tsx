/** What a search has found as a table. */
import { Anchor, Checkbox, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '../../layout/icons/icons';
import { Link, useLocation, useNavigate } from 'react-router';
import { textOf, type JsonObject } from '../../api/json';
import { cellOf, type Column } from '../../fhir/search/search-columns';
import { formatQuery, parseQuery } from '../../fhir/search/search-query';
import { RecordTable, type RecordColumn } from '../../layout/record-table';
import { resourcePath, type Space } from '../../place';
import { texts } from '../../texts';
import { Cell } from './cell';
import classes from './results.module.css';
import { idOf, type Selection } from './selection/use-selection';

const { resources } = texts;
const { selection: words } = resources;

export interface ResultsTableProps {
  readonly space: Space;
  readonly type: string;
  readonly query: string;
  readonly columns: readonly Column[];
  readonly records: readonly JsonObject[];
  /** Without it no record can be selected. */
  readonly selection?: Selection;
}

export function ResultsTable({ space, type, query, columns, records, selection }: ResultsTableProps) {
  const navigate = useNavigate();
  const pathOf = ({ id }: JsonObject): string => resourcePath(space, type, textOf(id) ?? '');
  const orderOf = ({ sortedBy }: Column): Order | undefined => {
    const [key] = parseQuery(query).sort;
    if (sortedBy === undefined || key?.name !== sortedBy) return undefined;
    return key.isDescending ? 'descending' : 'ascending';
  };
  return (
    <RecordTable
      rows={records}
      caption={resources.results(type)}
      look={{ verticalSpacing: 6 }}
      minWidth={Math.min(columns.length * 140 + 140, 900)}
      keyOf={(record) => textOf(record['id']) ?? ''}
      open={(record) => void navigate(pathOf(record))}
      columns={[
        ...(selection === undefined ? [] : [selectionColumn(records, selection)]),
        {
          title: resources.id,
          cell: (record) => (
            <Anchor component={Link} to={pathOf(record)} size="sm" className={classes['id'] ?? ''}>
              {textOf(record['id'])}
            </Anchor>
          ),
        },
        ...columns.map((column): RecordColumn<JsonObject> => ({
          title: column.label,
          head: {
            title: column.short,
            ...(column.sortedBy === undefined ? {} : { 'aria-sort': orderOf(column) ?? 'none' }),
          },
          ...(column.sortedBy === undefined
            ? {}
            : {
                heading: (
                  <SortButton
                    label={column.label}
                    sortedBy={column.sortedBy}
                    order={orderOf(column)}
                    query={query}
                  />
                ),
              }),
          cell: (record) => <Cell space={space} {...cellOf(record, column)} />,
        })),
      ]}
    />
  );
}

/** The boxes of a page. */
function selectionColumn(
  records: readonly JsonObject[],
  { has, toggle }: Selection,
): RecordColumn<JsonObject> {
  const isAll = records.every(has);
  return {
    title: words.title,
    heading: (
      <Checkbox
        size="xs"
        aria-label={words.page}
        checked={isAll}
        indeterminate={!isAll && records.some(has)}
        onChange={() => toggle(records, !isAll)}
      />
    ),
    head: { w: 36 },
    cell: (record) => (
      <Checkbox
        size="xs"
        aria-label={words.record(idOf(record))}
        checked={has(record)}
        onChange={({ currentTarget }) => toggle([record], currentTarget.checked)}
      />
    ),
  };
}

type Order = 'ascending' | 'descending';

interface SortButtonProps {
  readonly label: string;
  readonly sortedBy: string;
  readonly order: Order | undefined;
  readonly query: string;
}

function SortButton({ label, sortedBy, order, query }: SortButtonProps) {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const sort = [{ name: sortedBy, isDescending: order === 'ascending' }];
  const Arrow = order === 'descending' ? IconArrowDown : IconArrowUp;
  return (
    <UnstyledButton
      className={classes['sort'] ?? ''}
      aria-label={resources.sortBy(label)}
      onClick={() =>
        void navigate(`${pathname}?${formatQuery({ ...parseQuery(query), sort, cursor: undefined })}`)
      }
    >
      {label}
      {order === undefined ? null : <Arrow size={14} aria-hidden />}
    </UnstyledButton>
  );
}
