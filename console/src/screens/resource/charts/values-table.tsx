/** The values of a chart as a table, newest first. */
import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { formatDateTime } from '../../../fhir/format-date';
import type { MeasureRow, UnitGroup } from '../../../fhir/measures';
import { RecordTable, type RecordColumn } from '../../../layout/record-table';
import { resourcePath, type Space } from '../../../place';
import { texts } from '../../../texts';

export interface ValuesTableProps {
  readonly space: Space;
  readonly group: UnitGroup;
  readonly title: string;
}

export function ValuesTable({ space, group: { series, rows, unit }, title }: ValuesTableProps) {
  const measured = series.map((name): RecordColumn<MeasureRow> => ({
    title: `${name}${unit === '' ? '' : ` (${unit})`}`,
    cell: ({ values }) => {
      const value = values.get(name);
      if (value === undefined) return '';
      return value.range === '' ? value.digits : `${value.digits} (${value.range})`;
    },
  }));
  return (
    <RecordTable
      rows={rows.toReversed()}
      caption={title}
      look={{ verticalSpacing: 4 }}
      minWidth={280}
      maxHeight={420}
      keyOf={({ id }) => id}
      columns={[
        {
          title: texts.record.date,
          cell: ({ id, date }) => (
            <Anchor component={Link} to={resourcePath(space, 'Observation', id)} size="sm">
              {formatDateTime(date)}
            </Anchor>
          ),
        },
        ...measured,
      ]}
    />
  );
}
