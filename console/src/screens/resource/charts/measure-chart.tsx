/** The values of one unit over time, with the reference range where all of them have the same. */
import { ChartTooltip, LineChart, type ChartTooltipProps } from '@mantine/charts';
import { useMemo } from 'react';
import { useNavigate } from 'react-router';
import { ReferenceArea } from 'recharts';
import { limitsOf, type UnitGroup } from '../../../fhir/measures';
import { formatDateTime } from '../../../fhir/format-date';
import { resourcePath, type Space } from '../../../place';

/** Colors that differ in both schemes, also for people who see few colors. */
const COLORS = ['orange.7', 'blue.6', 'teal.7', 'grape.6', 'pink.6', 'lime.8'] as const;
const HEIGHT = 320;

export interface MeasureChartProps {
  readonly space: Space;
  readonly group: UnitGroup;
  readonly title: string;
}

type Point = Record<string, number | string>;

function colorOf(index: number): string {
  return COLORS[index % COLORS.length] ?? COLORS[0];
}

/** The day in the time zone of the reader, as all times here. */
function dayOf(time: number): string {
  const date = new Date(time);
  const digits = (part: number): string => String(part).padStart(2, '0');
  return formatDateTime(`${date.getFullYear()}-${digits(date.getMonth() + 1)}-${digits(date.getDate())}`);
}

/** When the values at a place of the axis were observed, as the observation says it. */
function timeWords({ rows }: UnitGroup, time: number): string {
  const row = rows.find((each) => each.time === time);
  return row === undefined ? '' : formatDateTime(row.date);
}

export function MeasureChart({ space, group, title }: MeasureChartProps) {
  const navigate = useNavigate();
  const points = useMemo(() => toPoints(group), [group]);
  const series = group.series.map((label, index) => ({ name: `s${index}`, label, color: colorOf(index) }));
  const limits = group.series.map((name) => limitsOf(group, name));
  const open = (id: unknown): void => {
    if (typeof id === 'string') void navigate(resourcePath(space, 'Observation', id));
  };
  return (
    <div role="img" aria-label={title}>
      <LineChart
        h={HEIGHT}
        data={points}
        dataKey="time"
        series={series}
        curveType="linear"
        withLegend={group.series.length > 1}
        tickLine="xy"
        tooltipProps={{
          content: ({ label, payload }) => (
            <ChartTooltip
              label={timeWords(group, Number(label))}
              payload={payload.map(asWritten)}
              series={series}
              unit={` ${group.unit}`}
            />
          ),
        }}
        xAxisProps={{
          type: 'number',
          scale: 'time',
          domain: ['dataMin', 'dataMax'],
          tickFormatter: dayOf,
          minTickGap: 40,
          padding: { left: 12, right: 12 },
        }}
        yAxisProps={{ domain: ['auto', 'auto'], width: 48, tickFormatter: String }}
        referenceLines={limits.flatMap((limit, index) => [
          ...limitLine(limit?.low, colorOf(index)),
          ...limitLine(limit?.high, colorOf(index)),
        ])}
        dotProps={{ r: 3 }}
        activeDotProps={{ r: 6, style: { cursor: 'pointer' }, onClick: (_, dot) => open(idOf(dot)) }}
      >
        {limits.map((limit, index) =>
          limit?.low === undefined || limit.high === undefined ? null : (
            <ReferenceArea
              key={index}
              y1={limit.low}
              y2={limit.high}
              ifOverflow="extendDomain"
              fill={`var(--mantine-color-${colorOf(index).replace('.', '-')})`}
              fillOpacity={0.08}
            />
          ),
        )}
      </LineChart>
    </div>
  );
}

function limitLine(limit: number | undefined, color: string) {
  return limit === undefined
    ? []
    : [{ y: limit, color, label: `${limit}`, ifOverflow: 'extendDomain' as const }];
}

function toPoints({ rows, series }: UnitGroup): Point[] {
  return rows.map(({ id, time, values }) => {
    const point: Point = { id, time };
    series.forEach((name, index) => {
      const value = values.get(name);
      if (value === undefined) return;
      point[`s${index}`] = value.number;
      point[digitsOf(`s${index}`)] = value.digits;
    });
    return point;
  });
}

/** The member of a point with the digits of a series. */
const digitsOf = (name: string): string => `${name}-digits`;

type TooltipItem = NonNullable<ChartTooltipProps['payload']>[number];

/** A value with the digits that it has in the record. */
function asWritten(item: TooltipItem): TooltipItem {
  // recharts passes on the point and the name of its series, but its type does not say so.
  const { name, payload } = item as { readonly name: string; readonly payload: Point };
  return { ...item, payload: { ...payload, [name]: payload[digitsOf(name)] } };
}

/** The id of the observation of a dot that was chosen. */
function idOf(dot: unknown): unknown {
  if (typeof dot !== 'object' || dot === null || !('payload' in dot)) return undefined;
  const { payload } = dot;
  return typeof payload === 'object' && payload !== null && 'id' in payload ? payload.id : undefined;
}
