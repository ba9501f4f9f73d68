/** The other versions of a code system, and what differs between one of them and this one. */
import { Anchor, Button, Group, Progress, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Definition } from '../../api/terminology';
import {
  DIFFERENCES,
  type Described,
  type DifferenceKind,
  type Differences,
} from '../../fhir/compare-concepts';
import { FailureView } from '../../layout/failure-view';
import { Part } from '../../layout/heading';
import { RecordTable } from '../../layout/record-table';
import { conceptPath, screenPath, type Space } from '../../place';
import { texts } from '../../texts';
import { Mark, type ConceptPlace } from './concept-row';
import classes from './terminology.module.css';
import { useComparison } from './use-comparison';
import { useDefinitions } from './use-definitions';

const { terminology } = texts;

/** Nothing where there is no other version, or where this one has no name for the operations. */
export function Versions({ place: { space, id, system } }: { readonly place: ConceptPlace }) {
  const definitions = useDefinitions(space, 'CodeSystem');
  const others = (definitions.data?.definitions ?? []).filter(
    (each) => each.url === system.url && each.id !== id && each.version !== '',
  );
  if (others.length === 0 || system.version === '') return null;
  return (
    <Part title={terminology.versions} hint={terminology.versionsHint}>
      <Group gap="sm" mb="sm">
        {others.map((each) => (
          <Anchor
            key={each.id}
            component={Link}
            size="sm"
            to={screenPath(space, `terminology/CodeSystem/${each.id}`)}
          >
            {each.version}
          </Anchor>
        ))}
      </Group>
      <Comparing space={space} id={id} version={system.version} others={others} />
    </Part>
  );
}

interface ComparingProps {
  readonly space: Space;
  readonly id: string;
  readonly version: string;
  readonly others: readonly Definition[];
}

function Comparing({ space, id, version, others }: ComparingProps) {
  const form = useForm({ initialValues: { other: others[0]?.id ?? '' } });
  const [older, setOlder] = useState<Definition>();
  const { comparison, start, stop } = useComparison(space);
  const compare = ({ other }: { readonly other: string }): void => {
    const chosen = others.find((each) => each.id === other);
    if (chosen === undefined) return;
    setOlder(chosen);
    const { url } = chosen;
    void start({ url, version: chosen.version }, { url, version });
  };
  const isRunning = comparison?.state === 'running';
  return (
    <Stack gap="sm">
      <form onSubmit={form.onSubmit(compare)}>
        <Group align="end" gap="sm">
          <Select
            label={terminology.otherVersion}
            data={others.map((each) => ({ value: each.id, label: each.version }))}
            {...form.getInputProps('other')}
            allowDeselect={false}
            w={{ base: '100%', xs: 260 }}
          />
          <Button type="submit" variant="default" disabled={isRunning}>
            {terminology.compare}
          </Button>
          {isRunning ? (
            <Button variant="subtle" color="gray" c="inherit" onClick={stop}>
              {terminology.stop}
            </Button>
          ) : null}
        </Group>
      </form>
      {isRunning ? <Bar {...comparison.progress} /> : null}
      {comparison?.state === 'stopped' ? (
        <Text size="sm" role="status">
          {terminology.stopped}
        </Text>
      ) : null}
      {comparison?.state === 'failed' ? <FailureView error={comparison.error} /> : null}
      {comparison?.state === 'done' && older !== undefined ? (
        <Found space={space} ids={{ before: older.id, after: id }} differences={comparison.differences}>
          {terminology.comparedWith(older.version)}
        </Found>
      ) : null}
    </Stack>
  );
}

function Bar({ done, all }: { readonly done: number; readonly all: number }) {
  return (
    <div>
      <Progress.Root size="lg">
        <Progress.Section value={(100 * done) / Math.max(all, 1)} aria-label={terminology.comparing} />
      </Progress.Root>
      <Text size="sm" mt={4}>
        {terminology.comparedSoFar(done.toLocaleString(), all.toLocaleString())}
      </Text>
    </div>
  );
}

interface FoundProps {
  readonly space: Space;
  /** Of the CodeSystems. */
  readonly ids: { readonly before: string; readonly after: string };
  readonly differences: Differences;
  readonly children: string;
}

function Found({ space, ids, differences, children }: FoundProps) {
  const [chosen, setChosen] = useState<DifferenceKind>();
  const kinds = DIFFERENCES.filter((kind) => differences[kind].count > 0);
  const kind = chosen ?? kinds[0];
  if (kind === undefined) {
    return (
      <Text size="sm" role="status">
        {terminology.equal}
      </Text>
    );
  }
  const { count, first } = differences[kind];
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        {children}
      </Text>
      <SegmentedControl
        aria-label={terminology.whichDifferences}
        size="xs"
        style={{ alignSelf: 'start' }}
        value={kind}
        onChange={setChosen}
        data={DIFFERENCES.map((value) => ({
          value,
          label: terminology.differenceCount(
            terminology.differences[value],
            differences[value].count.toLocaleString(),
          ),
        }))}
      />
      {first.length === count ? null : (
        <Text size="sm">{terminology.firstDifferences(first.length.toLocaleString())}</Text>
      )}
      <RecordTable
        key={kind}
        rows={first}
        caption={terminology.differences[kind]}
        look={{ verticalSpacing: 4 }}
        minWidth={420}
        keyOf={({ code }) => code}
        columns={[
          {
            title: terminology.code,
            cell: ({ code, after }) => (
              <Anchor
                component={Link}
                size="sm"
                className={classes['code'] ?? ''}
                to={conceptPath(space, after === undefined ? ids.before : ids.after, code)}
              >
                {code}
              </Anchor>
            ),
          },
          { title: terminology.before, cell: ({ before }) => <Words of={before} /> },
          { title: terminology.after, cell: ({ after }) => <Words of={after} /> },
        ]}
      />
    </Stack>
  );
}

function Words({ of }: { readonly of: Described | undefined }) {
  if (of === undefined) return null;
  return (
    <Text size="sm" component="div" className={classes['words'] ?? ''}>
      {of.display}
      {of.isInactive ? <Mark text={terminology.inactive} /> : null}
    </Text>
  );
}
