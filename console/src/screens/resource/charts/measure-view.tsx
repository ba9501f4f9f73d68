/** One measurement over time: a chart for each unit, and the same values as a table. */
import '@mantine/charts/styles.css';
import { Button, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Measure, UnitGroup } from '../../../fhir/measures';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { MeasureChart } from './measure-chart';
import { ValuesTable } from './values-table';

export interface MeasureViewProps {
  readonly space: Space;
  readonly measure: Measure;
}

export default function MeasureView({ space, measure }: MeasureViewProps) {
  return (
    <Stack gap="lg">
      <div>
        <Title order={2} size="h4">
          {measure.name}
        </Title>
        <Text size="sm" c="dimmed">
          {texts.record.chartHint}
        </Text>
      </div>
      {measure.units.map((group) => (
        <UnitView key={group.unit} space={space} measure={measure} group={group} />
      ))}
    </Stack>
  );
}

function UnitView({ space, measure, group }: MeasureViewProps & { readonly group: UnitGroup }) {
  const [isOpen, { toggle }] = useDisclosure(false);
  const unit = group.unit === '' ? texts.record.noUnit : group.unit;
  const title = texts.record.chartOf(measure.name, unit);
  return (
    <section aria-label={title}>
      <Title order={3} size="h6" mb="xs">
        {unit}
      </Title>
      <MeasureChart space={space} group={group} title={title} />
      <Button size="xs" variant="default" onClick={toggle} aria-expanded={isOpen} mt="sm">
        {isOpen ? texts.record.hideTable : texts.record.showTable}
      </Button>
      {isOpen ? <ValuesTable space={space} group={group} title={title} /> : null}
    </section>
  );
}
