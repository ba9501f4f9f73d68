/** Measurements with how often and last, each with a line of its values. */
import { Anchor, Badge } from '@mantine/core';
import { Link } from 'react-router';
import { formatDateTime } from '../../../fhir/format-date';
import { beyondRange, lastOf, type Measure, type MeasuredValue } from '../../../fhir/measures';
import { RecordTable } from '../../../layout/record-table';
import { texts } from '../../../texts';
import { chartHash } from './chart-address';
import { Sparkline } from './sparkline';

export interface MeasureTableProps {
  readonly measures: readonly Measure[];
  readonly caption: string;
}

export function MeasureTable({ measures, caption }: MeasureTableProps) {
  const rows = measures.map((measure) => ({ measure, last: lastOf(measure) }));
  return (
    <RecordTable
      rows={rows}
      caption={caption}
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
            last === undefined ? '' : <LastValue values={[...last.row.values.values()]} unit={last.unit} />,
        },
        {
          title: texts.record.referenceRange,
          cell: ({ last }) =>
            [...(last?.row.values.values() ?? [])]
              .map(({ range }) => range)
              .filter(Boolean)
              .join(' / '),
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

interface LastValueProps {
  readonly values: readonly MeasuredValue[];
  readonly unit: string;
}

/** The value, and in words where it is outside of its reference range. */
function LastValue({ values, unit }: LastValueProps) {
  const beyond = [...new Set(values.flatMap((value) => beyondRange(value) ?? []))];
  return (
    <>
      {`${values.map(({ digits }) => digits).join(' / ')} ${unit}`}
      {beyond.map((side) => (
        <Badge key={side} color="orange" variant="light" size="sm" ml={8} tt="none">
          {texts.record.beyond[side]}
        </Badge>
      ))}
    </>
  );
}
