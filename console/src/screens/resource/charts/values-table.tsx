/** The values of a chart as a table, newest first. */
import { Anchor, Table, VisuallyHidden } from '@mantine/core';
import { Link } from 'react-router';
import { formatDateTime } from '../../../fhir/format-date';
import type { MeasuredValue, MeasureRow, UnitGroup } from '../../../fhir/measures';
import { resourcePath, type Space } from '../../../place';
import { texts } from '../../../texts';

export interface ValuesTableProps {
  readonly space: Space;
  readonly group: UnitGroup;
  readonly title: string;
}

function rangeText({ low, high }: MeasuredValue): string {
  if (low === undefined) return high === undefined ? '' : ` (≤ ${high})`;
  return high === undefined ? ` (≥ ${low})` : ` (${low} – ${high})`;
}

export function ValuesTable({ space, group: { series, rows, unit }, title }: ValuesTableProps) {
  return (
    <Table.ScrollContainer minWidth={280} maxHeight={420} type="native" mt="sm">
      <Table fz="sm" verticalSpacing={4} stickyHeader>
        <caption>
          <VisuallyHidden>{title}</VisuallyHidden>
        </caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{texts.record.date}</Table.Th>
            {series.map((name) => (
              <Table.Th key={name} scope="col">
                {`${name}${unit === '' ? '' : ` (${unit})`}`}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.toReversed().map((row) => (
            <ValuesLine key={row.id} space={space} row={row} series={series} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface ValuesLineProps {
  readonly space: Space;
  readonly row: MeasureRow;
  readonly series: readonly string[];
}

function ValuesLine({ space, row: { id, date, values }, series }: ValuesLineProps) {
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor component={Link} to={resourcePath(space, 'Observation', id)} size="sm">
          {formatDateTime(date)}
        </Anchor>
      </Table.Td>
      {series.map((name) => {
        const value = values.get(name);
        return (
          <Table.Td key={name}>{value === undefined ? '' : `${value.digits}${rangeText(value)}`}</Table.Td>
        );
      })}
    </Table.Tr>
  );
}
