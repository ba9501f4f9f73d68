/** What is different between two versions of a record: a table of elements, and the JSON. */
import { Badge, Button, SegmentedControl, Stack, Switch, Table, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import {
  isArray,
  isObject,
  jsonSteps,
  startOfJson,
  textOf,
  type JsonObject,
  type JsonValue,
} from '../../../api/json';
import scroll from '../../../layout/scroll-box.module.css';
import { nameElement, type NamedElement } from '../../../editor/element-at';
import { useKnowledge } from '../../../editor/snapshots';
import { diffSteps, withoutServerMeta, writePath, type Difference } from '../../../fhir/compare/diff';
import { formatValue } from '../../../fhir/format';
import { Loading } from '../../../layout/loaded';
import { useSliced } from '../../../layout/use-sliced';
import type { Space } from '../../../place';
import { texts } from '../../../texts';

const JsonDiff = lazy(() => import('../../../editor/json-diff'));
const { history, common } = texts;
const COLORS = { added: 'teal', removed: 'red', changed: 'blue' } as const;

export interface DiffViewProps {
  readonly space: Space;
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly labels: readonly [before: string, after: string];
}

export function DiffView({ space, before, after, labels }: DiffViewProps) {
  const [isJson, setIsJson] = useState(false);
  const [hasMeta, setHasMeta] = useState(false);
  const isNarrow = useMediaQuery('(max-width: 48em)');
  const [old, now] = useMemo(
    () => (hasMeta ? [before, after] : [withoutServerMeta(before), withoutServerMeta(after)]),
    [before, after, hasMeta],
  );
  const differences = useSliced(useCallback(() => diffSteps(old, now), [old, now]));
  if (differences === undefined) return <Loading />;
  return (
    <Stack gap="sm">
      <Stack gap="xs">
        <SegmentedControl
          size="xs"
          aria-label={history.asTable}
          style={{ alignSelf: 'start' }}
          value={isJson ? history.json : history.table}
          data={[history.table, history.json]}
          onChange={(shown) => setIsJson(shown === history.json)}
        />
        <Switch
          size="xs"
          label={history.withMeta}
          checked={hasMeta}
          onChange={({ currentTarget }) => setHasMeta(currentTarget.checked)}
        />
      </Stack>
      {differences.length === 0 ? (
        <Text size="sm" role="status">
          {history.same}
        </Text>
      ) : isJson ? (
        <JsonOfBoth records={[old, now]} labels={labels} isNarrow={isNarrow} />
      ) : (
        <Differences
          space={space}
          records={[old, now]}
          differences={differences}
          labels={labels}
          isNarrow={isNarrow}
        />
      )}
    </Stack>
  );
}

/** Longer texts are not compared line by line: that would stop the page for seconds. */
const MOST_COMPARED = 400_000;

interface JsonOfBothProps {
  readonly records: readonly [before: JsonObject, after: JsonObject];
  readonly labels: DiffViewProps['labels'];
  readonly isNarrow: boolean;
}

function JsonOfBoth({ records: [before, after], labels, isNarrow }: JsonOfBothProps) {
  const old = useSliced(useCallback(() => jsonSteps(before), [before]));
  const now = useSliced(useCallback(() => jsonSteps(after), [after]));
  if (old === undefined || now === undefined) return <Loading />;
  if (old.length + now.length > MOST_COMPARED) return <Text size="sm">{history.tooLongToCompare}</Text>;
  return (
    <Suspense fallback={<Loading />}>
      <JsonDiff before={old} after={now} labels={labels} isUnified={isNarrow} />
    </Suspense>
  );
}

interface DifferencesProps {
  readonly space: Space;
  readonly records: readonly [before: JsonObject, after: JsonObject];
  readonly differences: readonly Difference[];
  readonly labels: DiffViewProps['labels'];
  /** The element stands above its values. */
  readonly isNarrow: boolean;
}

/** Differences that are shown at once. */
const PART = 50;

function Differences({ space, records: [before, after], differences, labels, isNarrow }: DifferencesProps) {
  const { definition } = useKnowledge(space);
  const [shown, setShown] = useState(PART);
  const part = differences.slice(0, shown);
  const paths = part.map(({ path }) => writePath(path));
  const names = useQuery({
    queryKey: ['element-names', space, textOf(after['resourceType']), paths],
    queryFn: () =>
      Promise.all(
        part.map(({ path, kind }) => nameElement(definition, kind === 'removed' ? before : after, path)),
      ),
    staleTime: Infinity,
    retry: false,
  });
  return (
    <Table.ScrollContainer
      minWidth={isNarrow ? 0 : 520}
      type="native"
      className={scroll['box'] ?? ''}
      tabIndex={0}
      role="group"
      aria-label={history.table}
    >
      <Table verticalSpacing="xs" layout="fixed" captionSide="top" withTableBorder>
        <Table.Caption ta="left">{history.differences(differences.length)}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            {isNarrow ? null : <Table.Th w="34%">{history.element}</Table.Th>}
            <Table.Th>{labels[0]}</Table.Th>
            <Table.Th>{labels[1]}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {part.map((difference, index) => (
            <DifferenceRow
              key={`${difference.kind} ${paths[index]}`}
              difference={difference}
              name={names.data?.[index]}
              isNarrow={isNarrow}
            />
          ))}
        </Table.Tbody>
      </Table>
      {part.length === differences.length ? null : (
        <Button variant="default" size="xs" mt="xs" onClick={() => setShown(shown + PART)}>
          {common.morePart(part.length, differences.length)}
        </Button>
      )}
    </Table.ScrollContainer>
  );
}

interface DifferenceRowProps extends Pick<DifferencesProps, 'isNarrow'> {
  readonly difference: Difference;
  readonly name: NamedElement | undefined;
}

function DifferenceRow({ difference: { path, kind, before, after }, name, isNarrow }: DifferenceRowProps) {
  // Words that leave out what is different say nothing.
  const [old, now] = [formatValue(before, name?.type), formatValue(after, name?.type)];
  const isRaw = old === now;
  const element = (
    <Table.Th
      scope={isNarrow ? 'rowgroup' : 'row'}
      colSpan={isNarrow ? 2 : 1}
      style={{ overflowWrap: 'anywhere', verticalAlign: 'top', fontWeight: 'normal' }}
    >
      <Text size="sm" ff="monospace">
        {name?.expression ?? writePath(path)}
      </Text>
      {name === undefined || name.short === '' ? null : (
        <Text size="xs" c="dimmed">
          {name.short}
        </Text>
      )}
      <Badge size="xs" color={COLORS[kind]} variant="dot" tt="none" miw="max-content">
        {history.kinds[kind]}
      </Badge>
    </Table.Th>
  );
  return (
    <>
      {isNarrow ? <Table.Tr>{element}</Table.Tr> : null}
      <Table.Tr>
        {isNarrow ? null : element}
        <ValueCell value={before} words={isRaw ? '' : old} />
        <ValueCell value={after} words={isRaw ? '' : now} />
      </Table.Tr>
    </>
  );
}

interface ValueProps {
  readonly value: JsonValue | undefined;
  readonly words: string;
}

function ValueCell(props: ValueProps) {
  return (
    <Table.Td style={{ overflowWrap: 'anywhere', verticalAlign: 'top' }}>
      <ValueView {...props} />
    </Table.Td>
  );
}

const MOST_OF_VALUE = 2_000;

function startOfValue(value: JsonValue): string {
  const { text, isWhole } = startOfJson(value, MOST_OF_VALUE);
  return isWhole ? text : `${text} …`;
}

/** A value that has no short text is shown as it is stored. */
export function ValueView({ value, words }: ValueProps) {
  const hasMore = isObject(value) || isArray(value);
  if (value === undefined)
    return (
      <Text size="sm" c="dimmed" span aria-hidden>
        –
      </Text>
    );
  return (
    <>
      {words === '' ? null : (
        <Text size="sm" span display="block">
          {words}
        </Text>
      )}
      {hasMore || words === '' ? (
        <Text size="xs" ff="monospace" c="dimmed" span display="block" style={{ whiteSpace: 'pre-wrap' }}>
          {startOfValue(value)}
        </Text>
      ) : null}
    </>
  );
}
