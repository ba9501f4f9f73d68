/** Measurements with how often and last, each with a line of its values. */
import { Anchor, Badge } from '@mantine/core';
import { Link } from 'react-router';
import { formatDateTime } from '../../../fhir/format-date';
import {
  beyondRange,
  lastOf,
  type Measure,
  type MeasuredValue,
  type MeasureRow,
} from '../../../fhir/measures';
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
          cell: ({ measure, last }) =>
            last === undefined ? '' : <LastValue values={valuesOf(measure, last.row)} unit={last.unit} />,
        },
        {
          title: texts.record.referenceRange,
          cell: ({ measure, last }) =>
            (last === undefined ? [] : valuesOf(measure, last.row))
              .filter(({ value }) => value.range !== '')
              .map(({ name, value }) => withName(name, value.range))
              .join('; '),
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

interface NamedValue {
  /** The component; '' for the value of the measurement itself. */
  readonly name: string;
  readonly value: MeasuredValue;
}

function valuesOf(measure: Measure, { values }: MeasureRow): readonly NamedValue[] {
  return [...values].map(([series, value]) => ({ name: series === measure.name ? '' : series, value }));
}

const withName = (name: string, text: string): string => (name === '' ? text : `${name}: ${text}`);

interface LastValueProps {
  readonly values: readonly NamedValue[];
  readonly unit: string;
}

/** The values, and in words which of them are outside of their reference ranges. */
function LastValue({ values, unit }: LastValueProps) {
  return (
    <>
      {`${values.map(({ name, value }) => withName(name, value.digits)).join(' / ')} ${unit}`}
      {values.map(({ name, value }) => {
        const side = beyondRange(value);
        return side === undefined ? null : (
          <Badge key={name} color="orange" variant="light" size="sm" ml={8} tt="none">
            {withName(values.length > 1 ? name : '', texts.record.beyond[side])}
          </Badge>
        );
      })}
    </>
  );
}
