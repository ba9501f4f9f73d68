/** Measurements with how often and last, each with a line of its values. */
import { Anchor, Table, VisuallyHidden } from '@mantine/core';
import { Link } from 'react-router';
import { formatDateTime } from '../../../fhir/format-date';
import { lastOf, type Measure } from '../../../fhir/measures';
import { texts } from '../../../texts';
import { chartHash } from './chart-address';
import { Sparkline } from './sparkline';

export function MeasureTable({ measures }: { readonly measures: readonly Measure[] }) {
  return (
    <Table.ScrollContainer minWidth={560} type="native">
      <Table verticalSpacing="xs" fz="sm" highlightOnHover>
        <caption>
          <VisuallyHidden>{texts.record.chartsList}</VisuallyHidden>
        </caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{texts.record.measurement}</Table.Th>
            <Table.Th scope="col">{texts.record.values}</Table.Th>
            <Table.Th scope="col">{texts.record.lastValue}</Table.Th>
            <Table.Th scope="col">{texts.record.lastOn}</Table.Th>
            <Table.Th scope="col">{texts.record.trend}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {measures.map((measure) => (
            <MeasureLine key={measure.key} measure={measure} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function MeasureLine({ measure }: { readonly measure: Measure }) {
  const last = lastOf(measure);
  const digits = [...(last?.row.values.values() ?? [])].map((value) => value.digits).join(' / ');
  const [first] = measure.units;
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor component={Link} to={chartHash(measure.key)} size="sm">
          {measure.name}
        </Anchor>
      </Table.Td>
      <Table.Td>{measure.count}</Table.Td>
      <Table.Td>{last === undefined ? '' : `${digits} ${last.unit}`}</Table.Td>
      <Table.Td>{last === undefined ? '' : formatDateTime(last.row.date)}</Table.Td>
      <Table.Td>{first === undefined ? null : <Sparkline group={first} />}</Table.Td>
    </Table.Tr>
  );
}
