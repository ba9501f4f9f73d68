/** One record: reading, JSON, editing, history, references, and for compartments what happened in them. */
import { Alert, Anchor, Button, Group, Stack, Tabs, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, type ReactNode } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import type { JsonObject } from '../../api/json';
import { RenderSpace } from '../../fhir/render/render-space';
import { Loaded, Loading } from '../../layout/loaded';
import print from '../../layout/print.module.css';
import { useTitle } from '../../layout/use-title';
import { fhirPath, resourcePath, type Space } from '../../place';
import { texts } from '../../texts';
import { parseHash } from './charts/chart-address';
import { loadRecord, type RecordState } from './load-record';
import { versionOf } from '../../fhir/server-meta';
import { isLarge } from '../../fhir/weight';
import { RecordActions } from './record-actions';
import { RecordHeader } from './record-header';
import { LiveBar } from './record-live';
import { useCompartmentTypes } from './use-compartment';

const ReadTab = lazy(() => import('./read-tab'));
const JsonView = lazy(() => import('./json-view'));
const EditorTab = lazy(() => import('./editor/editor-tab'));
const HistoryTab = lazy(() => import('./history/history-tab'));
const ReferencesTab = lazy(() => import('./references/references-tab'));
const SummaryTab = lazy(() => import('./summary/summary-tab'));
const TimelineTab = lazy(() => import('./timeline/timeline-tab'));
const ChartsTab = lazy(() => import('./charts/charts-tab'));
const RestoreRecord = lazy(() => import('./history/restore-record'));

export interface RecordScreenProps {
  readonly space: Space;
  readonly type: string;
  readonly id: string;
  /** Shows this version, and not the current one. */
  readonly versionId?: string | undefined;
  /** Begins with the history. */
  readonly isHistory?: boolean;
}

export default function RecordScreen(props: RecordScreenProps) {
  const { space, type, id, versionId, isHistory = false } = props;
  const query = useQuery({
    queryKey: ['record', space, type, id, versionId ?? null],
    queryFn: () => loadRecord(space, { type, id, versionId }),
    refetchOnWindowFocus: true,
    // The same version is the same object, so that nothing is worked on or drawn again.
    structuralSharing: (before, after) => (isSameState(before, after) ? before : after),
  });
  useTitle(`${type}/${id}`);
  return (
    <RenderSpace.Provider value={space}>
      {query.isError ? (
        <Title order={1} size="h2">
          {type}/{id}
        </Title>
      ) : null}
      <Loaded query={query}>
        {(loaded) =>
          loaded.state === 'found' ? (
            <Found
              {...{ space, type, id, isHistory }}
              found={loaded}
              isOld={versionId !== undefined && loaded.current !== versionOf(loaded.record)}
            />
          ) : (
            <Absent {...props} absent={loaded} />
          )
        }
      </Loaded>
    </RenderSpace.Provider>
  );
}

function isSameState(before: unknown, after: unknown): boolean {
  const [one, other] = [before, after] as readonly (RecordState | undefined)[];
  if (one?.state !== 'found' || other?.state !== 'found') return false;
  return one.current === other.current && versionOf(one.record) === versionOf(other.record);
}

interface FoundProps {
  readonly space: Space;
  readonly type: string;
  readonly id: string;
  readonly isHistory: boolean;
  readonly found: Extract<RecordState, { state: 'found' }>;
  readonly isOld: boolean;
}

function Found({ space, type, id, isHistory, found: { record, current }, isOld }: FoundProps) {
  const place = { space, type, id };
  return (
    <Stack gap="md">
      {isOld ? <OldVersion {...place} version={versionOf(record)} current={current} /> : null}
      {isOld ? null : <LiveBar {...place} version={versionOf(record)} />}
      <RecordHeader
        {...place}
        record={record}
        actions={isOld ? null : <RecordActions {...place} record={record} />}
      />
      <RecordTabs {...place} record={record} isHistory={isHistory} isOld={isOld} />
    </Stack>
  );
}

interface OldVersionProps {
  readonly space: Space;
  readonly type: string;
  readonly id: string;
  readonly version: string;
  readonly current: string | undefined;
}

function OldVersion({ space, type, id, version, current }: OldVersionProps) {
  const title =
    current === undefined
      ? texts.record.oldVersionOfDeleted(version)
      : texts.record.oldVersion(version, current);
  return (
    <Alert color="orange" title={title} role="status">
      <Group gap="md">
        {current === undefined ? null : (
          <Anchor component={Link} to={resourcePath(space, type, id)} size="sm">
            {texts.record.showCurrent}
          </Anchor>
        )}
        <Anchor component={Link} to={`${resourcePath(space, type, id)}#history`} size="sm">
          {texts.record.showHistory}
        </Anchor>
      </Group>
    </Alert>
  );
}

interface RecordTabsProps {
  readonly space: Space;
  readonly type: string;
  readonly id: string;
  readonly record: JsonObject;
  readonly isHistory: boolean;
  readonly isOld: boolean;
}

interface Tab {
  readonly name: string;
  readonly label: string;
  readonly show: () => ReactNode;
}

function useTabs({ space, type, id, record, isOld }: RecordTabsProps): readonly Tab[] {
  const compartments = useCompartmentTypes(space);
  const place = { space, type, id };
  const inCompartment: readonly Tab[] = [
    { name: 'timeline', label: texts.record.timeline, show: () => <TimelineTab {...place} /> },
    ...(type === 'Patient'
      ? [{ name: 'charts', label: texts.record.charts, show: () => <ChartsTab space={space} id={id} /> }]
      : []),
  ];
  const summary: readonly Tab[] =
    type === 'Patient' && !isOld
      ? [{ name: 'summary', label: texts.summary.title, show: () => <SummaryTab space={space} id={id} /> }]
      : [];
  const hasTimeline = type === 'Patient' || compartments.has(type);
  return [
    ...summary,
    { name: 'read', label: texts.record.read, show: () => <ReadTab record={record} type={type} /> },
    ...(hasTimeline && !isOld ? inCompartment : []),
    {
      name: 'references',
      label: texts.record.references,
      show: () => <ReferencesTab {...place} record={record} />,
    },
    {
      name: 'history',
      label: texts.record.history,
      show: () => <HistoryTab {...place} isLarge={isLarge(record)} />,
    },
    { name: 'json', label: texts.record.json, show: () => <JsonView value={record} /> },
    ...(isOld
      ? []
      : [{ name: 'edit', label: texts.record.edit, show: () => <EditorTab {...place} record={record} /> }]),
  ];
}

function RecordTabs(props: RecordTabsProps) {
  const { hash } = useLocation();
  const navigate = useNavigate();
  const tabs = useTabs(props);
  const { tab: wanted } = parseHash(hash);
  const first = props.isHistory ? 'history' : (tabs[0]?.name ?? 'read');
  // Other words after # are places inside of the record.
  const chosen = tabs.find(({ name }) => name === wanted)?.name ?? (wanted === '' ? first : 'read');
  return (
    <Tabs
      value={chosen}
      keepMounted={false}
      onChange={(name) => {
        if (name !== null) void navigate({ hash: name });
      }}
    >
      <Tabs.List aria-label={texts.record.tabs} mb="md" className={print['screen'] ?? ''}>
        {tabs.map(({ name, label }) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ name, show }) => (
        <Tabs.Panel key={name} value={name}>
          <Suspense fallback={<Loading />}>{name === chosen ? show() : null}</Suspense>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

interface AbsentProps extends RecordScreenProps {
  readonly absent: Exclude<RecordState, { state: 'found' }>;
}

function Absent({ space, type, id, versionId, absent }: AbsentProps) {
  const key = `${type}/${id}`;
  if (absent.state === 'deleted')
    return (
      <Stack gap="md">
        <Title order={1} size="h2">
          {key}
        </Title>
        <Suspense fallback={<Loading />}>
          <RestoreRecord space={space} type={type} id={id} />
          <HistoryTab space={space} type={type} id={id} />
        </Suspense>
      </Stack>
    );
  const words =
    absent.state === 'missing'
      ? texts.record.missing(key)
      : texts.record.missingVersion(versionId ?? '', key);
  return (
    <Stack gap="md" align="start">
      <Title order={1} size="h2">
        {texts.record.missingTitle}
      </Title>
      <Text>{words}</Text>
      {absent.state === 'missing' ? null : (
        <Anchor component={Link} to={resourcePath(space, type, id)}>
          {texts.record.showCurrent}
        </Anchor>
      )}
      <Button component={Link} to={fhirPath(space, type)} variant="default">
        {texts.record.searchType(type)}
      </Button>
    </Stack>
  );
}
