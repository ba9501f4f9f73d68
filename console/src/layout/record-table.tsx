/** The table under all lists of records, and what stands in its place while there are none. */
import { ActionIcon, Button, Table, Text, VisuallyHidden, type TableProps } from '@mantine/core';
import type { TableTdProps, TableThProps } from '@mantine/core';
import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import { Fragment, useState, type Key, type ReactNode } from 'react';
import { IconChevronDown, IconChevronRight } from './icons/icons';
import { Loaded } from './loaded';
import { texts } from '../texts';
import classes from './record-table.module.css';
import scroll from './scroll-box.module.css';

export interface RecordColumn<Row> {
  readonly title: string;
  /** In place of the title. */
  readonly heading?: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  readonly head?: TableThProps;
  readonly cells?: TableTdProps;
}

/** How a person gets the next rows. */
export interface More {
  readonly label: string;
  readonly isLoading?: boolean;
  readonly load: () => void;
}

/** The next page of a query, where there is one. */
export function moreOf(query: UseInfiniteQueryResult, label: string): More | undefined {
  if (!query.hasNextPage) return undefined;
  return { label, isLoading: query.isFetchingNextPage, load: () => void query.fetchNextPage() };
}

/** Columns of numbers. */
export const NUMBER = { head: { ta: 'right' }, cells: { ta: 'right' } } as const;
/** Columns of long words. */
export const ANYWHERE = { cells: { style: { overflowWrap: 'anywhere' } } } as const;

interface Shape<Row> {
  /** How the table looks. */
  readonly look?: Pick<TableProps, 'verticalSpacing' | 'withTableBorder'>;
  readonly caption: string;
  /** The caption stands above the table; else only screen readers have it. */
  readonly hasCaption?: boolean;
  readonly columns: readonly RecordColumn<Row>[];
  readonly keyOf: (row: Row, index: number) => Key;
  /** Pixels; a narrower window scrolls the table. */
  readonly minWidth: number;
  /** Pixels; a longer table scrolls under its head. */
  readonly maxHeight?: number;
  /** Name of the table as a group that the keyboard scrolls. */
  readonly group?: string;
  /** Shown where there are no rows. */
  readonly empty?: ReactNode;
  /** Opens a row that is clicked, but by a link, button or field in it. A link in the row is for the keyboard. */
  readonly open?: (row: Row) => void;
  /** What a row shows below itself when a person opens it. */
  readonly details?: {
    readonly title: string;
    readonly label: (row: Row) => string;
    readonly view: (row: Row) => ReactNode;
  };
  /** The next rows, where there are more. */
  readonly more?: More | undefined;
}

interface Queried<Row> extends Shape<Row> {
  readonly query: UseQueryResult<readonly Row[]>;
}

interface Given<Row> extends Shape<Row> {
  readonly rows: readonly Row[];
}

export function RecordTable<Row>(props: Queried<Row> | Given<Row>) {
  if (!('query' in props)) return <Rows {...props} />;
  const { query, ...shape } = props;
  return <Loaded query={query}>{(rows) => <Rows {...shape} rows={rows} />}</Loaded>;
}

/** Rows that are drawn at once: more would stop the page, and nobody reads them. */
const PART = 200;

function Rows<Row>(props: Given<Row>) {
  const { caption, hasCaption = false, columns, rows, minWidth, maxHeight, group, look } = props;
  const { empty = null, details, more } = props;
  const [shown, setShown] = useState(PART);
  const part = rows.length > shown ? rows.slice(0, shown) : rows;
  if (rows.length === 0) return typeof empty === 'string' ? <Text>{empty}</Text> : empty;
  return (
    <>
      <Table.ScrollContainer
        minWidth={minWidth}
        maxHeight={maxHeight}
        type="native"
        className={scroll['box'] ?? ''}
        // The caption for screen readers stays inside of what is scrolled.
        pos="relative"
        {...(group === undefined ? {} : { tabIndex: 0, role: 'group', 'aria-label': group })}
      >
        <Table highlightOnHover stickyHeader={maxHeight !== undefined} captionSide="top" {...look}>
          {hasCaption ? (
            <Table.Caption ta="left">{caption}</Table.Caption>
          ) : (
            <caption>
              <VisuallyHidden>{caption}</VisuallyHidden>
            </caption>
          )}
          <Table.Thead>
            <Table.Tr>
              {details === undefined ? null : <Table.Th scope="col">{details.title}</Table.Th>}
              {columns.map(({ title, heading = title, head }) => (
                <Table.Th key={title} scope="col" {...head}>
                  {heading}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {part.map((row, index) => (
              <RowView key={props.keyOf(row, index)} {...props} row={row} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {part.length === rows.length ? null : (
        <Button
          variant="default"
          mt="sm"
          style={{ alignSelf: 'start' }}
          onClick={() => setShown(shown + PART)}
        >
          {texts.common.morePart(part.length, rows.length)}
        </Button>
      )}
      {more === undefined || part.length < rows.length ? null : (
        <Button
          variant="default"
          mt="sm"
          style={{ alignSelf: 'start' }}
          loading={more.isLoading ?? false}
          onClick={more.load}
        >
          {more.label}
        </Button>
      )}
    </>
  );
}

function RowView<Row>({ columns, row, open, details }: Shape<Row> & { readonly row: Row }) {
  const [isOpen, setIsOpen] = useState(false);
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  const onClick = (event: React.MouseEvent): void => {
    const isUsed =
      event.target instanceof Element && event.target.closest('a, button, input, label') !== null;
    if (!isUsed && getSelection()?.isCollapsed !== false) open?.(row);
  };
  return (
    <Fragment>
      <Table.Tr {...(open === undefined ? {} : { onClick, className: classes['row'] })}>
        {details === undefined ? null : (
          <Table.Td w={40}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-expanded={isOpen}
              aria-label={details.label(row)}
              onClick={() => setIsOpen(!isOpen)}
            >
              <Chevron size={16} aria-hidden />
            </ActionIcon>
          </Table.Td>
        )}
        {columns.map(({ title, cell, cells }) => (
          <Table.Td key={title} dir="auto" {...cells}>
            {cell(row)}
          </Table.Td>
        ))}
      </Table.Tr>
      {details !== undefined && isOpen ? (
        <Table.Tr>
          <Table.Td colSpan={columns.length + 1} bg="var(--mantine-color-default-hover)">
            <div className={scroll['details']}>{details.view(row)}</div>
          </Table.Td>
        </Table.Tr>
      ) : null}
    </Fragment>
  );
}
