/** What a record is, at the top of its screen. */
import { Badge, Button, Group, Text, Title } from '@mantine/core';
import { IconChartLine } from '../../layout/icons/icons';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { textOf, type JsonObject } from '../../api/json';
import { formatDateTime } from '../../fhir/format-date';
import { personFacts } from '../../fhir/headline';
import { ClientName } from '../../fhir/render/client-name';
import { parseReference } from '../../fhir/reference';
import { RecordLink } from '../../fhir/render/reference-view';
import { clientIn, useHeadline } from '../../fhir/render/use-names';
import { useDefinition } from '../../fhir/search/search-definitions';
import { CopyIcon } from '../../layout/copy';
import print from '../../layout/print.module.css';
import { useTitle } from '../../layout/use-title';
import { fhirPath, resourcePath, type Space } from '../../place';
import { texts } from '../../texts';
import { patientChart } from './charts/chart-address';
import { authorOf, isOfServer, lastUpdatedOf, versionOf } from '../../fhir/server-meta';

export interface RecordHeaderProps {
  readonly space: Space;
  readonly type: string;
  readonly id: string;
  readonly record: JsonObject;
  /** Buttons for what can be done with the record. */
  readonly actions: ReactNode;
}

export function RecordHeader({ space, type, id, record, actions }: RecordHeaderProps) {
  const definition = useDefinition(space, type).data ?? undefined;
  const title = useHeadline(space, record, definition) ?? `${type}/${id}`;
  useTitle(`${title} · ${type}`);
  const { born, gender } = personFacts(record);
  const facts = [
    born === undefined ? '' : texts.record.born(formatDateTime(born)),
    gender ?? '',
    type === 'Patient' ? '' : (textOf(record['status']) ?? ''),
  ].filter((fact) => fact !== '');
  return (
    <div>
      <Group gap="sm" align="baseline">
        <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        {facts.length === 0 ? null : <Text size="lg">{facts.join(', ')}</Text>}
      </Group>
      <Identity space={space} type={type} id={id} record={record} />
      <Group gap="xs" mt="sm" className={print['screen'] ?? ''}>
        <ChartLink space={space} type={type} record={record} />
        {actions}
      </Group>
    </div>
  );
}

type IdentityProps = Pick<RecordHeaderProps, 'space' | 'type' | 'id' | 'record'>;

function Identity({ space, type, id, record }: IdentityProps) {
  const updated = lastUpdatedOf(record);
  return (
    <Group gap="xs" mt={4}>
      <Badge
        component={Link}
        to={fhirPath(space, type)}
        variant="light"
        tt="none"
        style={{ cursor: 'pointer' }}
      >
        {type}
      </Badge>
      <Group gap={2} wrap="nowrap">
        <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {id}
        </Text>
        <CopyIcon value={`${type}/${id}`} what={`${type}/${id}`} />
      </Group>
      <Text size="sm" c="dimmed">
        {texts.record.version(versionOf(record))}
        {updated === '' ? null : (
          <>
            {', '}
            <time dateTime={updated} title={updated}>
              {texts.record.updated(formatDateTime(updated))}
            </time>
          </>
        )}{' '}
        <Author record={record} />
      </Text>
    </Group>
  );
}

/** A person or record leads to its screen; an application has none. */
function Author({ record }: { readonly record: JsonObject }) {
  const author = authorOf(record);
  const text = textOf(author?.['reference']) ?? '';
  const target = parseReference(text, '');
  const client = clientIn(author);
  if (isOfServer(record)) return <>{texts.record.ofServer}</>;
  if (text === '') return null;
  if (client !== undefined)
    return (
      <>
        {texts.record.author('')}
        <ClientName client={client} />
      </>
    );
  if (target.kind !== 'record') return <>{texts.record.author(textOf(author?.['display']) ?? text)}</>;
  return (
    <>
      {texts.record.author('')}
      <RecordLink type={target.type} id={target.id} display={textOf(author?.['display'])} />
    </>
  );
}

/** The shortest way from a measurement to its chart. */
function ChartLink({ space, type, record }: Omit<IdentityProps, 'id'>) {
  const chart = type === 'Observation' ? patientChart(record) : undefined;
  if (chart === undefined) return null;
  return (
    <Button
      component={Link}
      to={`${resourcePath(space, 'Patient', chart.patient)}${chart.hash}`}
      size="xs"
      variant="light"
      leftSection={<IconChartLine size={16} aria-hidden />}
    >
      {texts.record.chartForPatient}
    </Button>
  );
}
