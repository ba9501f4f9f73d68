/** What was measured of a patient: a list of measurements, and one of them over time. */
import { Alert, Anchor, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconArrowLeft, IconSearch } from '../../../layout/icons/icons';
import { lazy, Suspense, useMemo, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { findMeasures, measuresOf, type Measure } from '../../../fhir/measures';
import { Loaded, Loading } from '../../../layout/loaded';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { parseHash } from './chart-address';
import { MeasureTable } from './measure-table';
import { MOST_OBSERVATIONS, useObservations, type ReadObservations } from './use-observations';

const MeasureView = lazy(() => import('./measure-view'));

export interface ChartsTabProps {
  readonly space: Space;
  /** Of the patient. */
  readonly id: string;
}

export default function ChartsTab({ space, id }: ChartsTabProps) {
  const { argument } = parseHash(useLocation().hash);
  const query = useObservations(space, { patient: id });
  return (
    <Loaded query={query}>{(read) => <Charts space={space} id={id} read={read} chosen={argument} />}</Loaded>
  );
}

interface ChartsProps extends ChartsTabProps {
  readonly read: ReadObservations;
  /** Key of the measurement that the address names; '': none. */
  readonly chosen: string;
}

function Charts({ space, id, read, chosen }: ChartsProps) {
  const measures = useMemo(() => measuresOf(read.observations), [read]);
  const measure = measures.find(({ key }) => key === chosen);
  if (chosen === '') return <MeasureList measures={measures} isBounded={read.isBounded} />;
  return (
    <Stack gap="md">
      <Anchor component={Link} to="#charts" size="sm">
        <IconArrowLeft size={14} aria-hidden /> {texts.record.allMeasurements}
      </Anchor>
      {read.isBounded && chosen.includes('|') ? (
        <OneMeasure space={space} id={id} chosen={chosen} />
      ) : (
        <Chosen space={space} measure={measure} isBounded={false} />
      )}
    </Stack>
  );
}

/** Reads only the observations of one code, where a patient has more than are read at once. */
function OneMeasure({ space, id, chosen }: ChartsTabProps & { readonly chosen: string }) {
  const query = useObservations(space, { patient: id, code: chosen });
  return (
    <Loaded query={query}>
      {({ observations, isBounded }) => (
        <Chosen
          space={space}
          measure={measuresOf(observations).find(({ key }) => key === chosen)}
          isBounded={isBounded}
        />
      )}
    </Loaded>
  );
}

interface ChosenProps {
  readonly space: Space;
  readonly measure: Measure | undefined;
  readonly isBounded: boolean;
}

function Chosen({ space, measure, isBounded }: ChosenProps) {
  if (measure === undefined) return <Text c="dimmed">{texts.record.chartsEmpty}</Text>;
  return (
    <Suspense fallback={<Loading />}>
      {isBounded ? <Alert color="gray">{texts.record.chartBounded(MOST_OBSERVATIONS)}</Alert> : null}
      <MeasureView space={space} measure={measure} />
    </Suspense>
  );
}

interface MeasureListProps {
  readonly measures: readonly Measure[];
  readonly isBounded: boolean;
}

function MeasureList({ measures, isBounded }: MeasureListProps) {
  const [text, setText] = useState('');
  const found = findMeasures(measures, text);
  if (measures.length === 0) return <Text c="dimmed">{texts.record.chartsEmpty}</Text>;
  return (
    <Stack gap="md">
      <Title order={2} size="h4">
        {texts.record.chartsList}
      </Title>
      <TextInput
        label={texts.record.chartsSearch}
        description={texts.record.chartsSearchHint}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        maw={420}
        type="search"
      />
      {isBounded ? <Alert color="gray">{texts.record.chartsBounded(MOST_OBSERVATIONS)}</Alert> : null}
      <Text size="sm" c="dimmed" role="status">
        {found.length === 0 ? texts.record.chartsNoMatch(text) : texts.record.measurementsFound(found.length)}
      </Text>
      {found.length === 0 ? null : <MeasureTable measures={found} caption={texts.record.chartsList} />}
    </Stack>
  );
}
