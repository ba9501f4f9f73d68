/** Measurements with how often and last, each with a line of its values. */
import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { formatDateTime } from '../../../fhir/format-date';
import { lastOf, type Measure } from '../../../fhir/measures';
import { RecordTable } from '../../../layout/record-table';
import { texts } from '../../../texts';
import { chartHash } from './chart-address';
import { Sparkline } from './sparkline';

export function MeasureTable({ measures }: { readonly measures: readonly Measure[] }) {
  const rows = measures.map((measure) => ({ measure, last: lastOf(measure) }));
  return (
    <RecordTable
      rows={rows}
      caption={texts.record.chartsList}
      look={{ verticalSpacing: 'xs' }}
      minWidth={560}
      keyOf={({ measure }) => measure.key}
      columns={[
        {
          title: texts.record.measurement,
          cell: ({ measure: { key, name } }) => (
            <Anchor component={Link} to={chartHash(key)} size="sm">
              {name}
            </Anchor>
          ),
        },
        { title: texts.record.values, cell: ({ measure }) => measure.count },
        {
          title: texts.record.lastValue,
          cell: ({ last }) =>
            last === undefined
              ? ''
              : `${[...last.row.values.values()].map(({ digits }) => digits).join(' / ')} ${last.unit}`,
        },
        {
          title: texts.record.lastOn,
          cell: ({ last }) => (last === undefined ? '' : formatDateTime(last.row.date)),
        },
        {
          title: texts.record.trend,
          cell: ({ measure: { units } }) => (units[0] === undefined ? null : <Sparkline group={units[0]} />),
        },
      ]}
    />
  );
}
