/** What happened to a patient, or in another compartment, newest first. */
import { Anchor, Badge, Button, Chip, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { formatDateTime } from '../../../fhir/format-date';
import { byMonth, type TimelineEntry } from '../../../fhir/timeline';
import { formatValue } from '../../../fhir/format';
import { observedText } from '../../../fhir/observed-text';
import { useHeadline } from '../../../fhir/render/use-names';
import { Loaded } from '../../../layout/loaded';
import { resourcePath, type Space } from '../../../place';
import { texts } from '../../../texts';
import classes from './timeline-tab.module.css';
import { useCompartments, useDateElements } from '../use-compartment';
import {
  useTimeline,
  useTimelineTypes,
  type Compartment,
  type TimelineDefinitions,
  type TimelineType,
} from './use-timeline';

export interface TimelineTabProps {
  readonly space: Space;
  readonly type: string;
  readonly id: string;
}

export default function TimelineTab({ space, type, id }: TimelineTabProps) {
  const compartments = useCompartments(space);
  const dates = useDateElements(space);
  return (
    <Loaded query={compartments}>
      {(inside) => (
        <Loaded query={dates}>
          {(known) => (
            <TypedTimeline
              space={space}
              compartment={{ type, id }}
              definitions={{ types: inside.get(type) ?? [], dates: known }}
            />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

interface TypedTimelineProps {
  readonly space: Space;
  readonly compartment: Compartment;
  readonly definitions: TimelineDefinitions;
}

function TypedTimeline({ space, compartment, definitions }: TypedTimelineProps) {
  const query = useTimelineTypes(space, compartment, definitions);
  return (
    <Loaded query={query}>
      {(types) =>
        types.length === 0 ? (
          <Text c="dimmed">{texts.record.timelineEmpty}</Text>
        ) : (
          <Timeline space={space} compartment={compartment} types={types} />
        )
      }
    </Loaded>
  );
}

interface TimelineProps {
  readonly space: Space;
  readonly compartment: Compartment;
  readonly types: readonly TimelineType[];
}

function Timeline({ space, compartment, types }: TimelineProps) {
  const [chosen, setChosen] = useState<string[]>([]);
  const shown = chosen.length === 0 ? types : types.filter(({ type }) => chosen.includes(type));
  const total = shown.reduce((sum, { count }) => sum + count, 0);
  const { query, entries } = useTimeline(space, compartment, shown);
  return (
    <Stack gap="md">
      <Chip.Group multiple value={chosen} onChange={setChosen}>
        <Group gap="xs" role="group" aria-label={texts.record.timelineTypes}>
          {types.map(({ type, count }) => (
            <Chip key={type} value={type} size="xs">
              {`${type} (${count})`}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <Loaded query={query}>
        {() => (
          <>
            <Text size="sm" c="dimmed" role="status">
              {texts.record.timelineShown(entries.length, total)}
            </Text>
            {byMonth(entries).map(({ month, entries: ofMonth }) => (
              <section key={month} aria-label={monthWords(month)}>
                <Title order={2} size="h5" mb={4}>
                  {monthWords(month)}
                </Title>
                <ol className={classes['entries']}>
                  {ofMonth.map((entry) => (
                    <Entry key={`${entry.type}/${entry.id}`} space={space} entry={entry} types={types} />
                  ))}
                </ol>
              </section>
            ))}
            {query.hasNextPage ? (
              <Button
                variant="default"
                loading={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                {texts.record.more}
              </Button>
            ) : null}
          </>
        )}
      </Loaded>
    </Stack>
  );
}

function monthWords(month: string): string {
  return month === '' ? texts.record.noDate : formatDateTime(month);
}

interface EntryProps {
  readonly space: Space;
  readonly entry: TimelineEntry;
  readonly types: readonly TimelineType[];
}

function Entry({ space, entry: { type, id, date, record }, types }: EntryProps) {
  const definition = types.find((each) => each.type === type)?.definition;
  const value = observedText(record);
  const headline = useHeadline(space, record, definition);
  return (
    <li className={classes['entry']}>
      <Text size="sm" c="dimmed" component="time" dateTime={date ?? ''} className={classes['time'] ?? ''}>
        {date === undefined ? '' : formatDateTime(date)}
      </Text>
      <div className={classes['what']}>
        <Anchor component={Link} to={resourcePath(space, type, id)} size="sm">
          {headline ?? `${type}/${id}`}
        </Anchor>
        {value === '' ? null : (
          <Text span size="sm" ml={8}>
            {value}
          </Text>
        )}
        <Text span size="xs" c="dimmed" ml={8}>
          {formatValue(record['status'])}
        </Text>
      </div>
      <Badge variant="light" color="gray" tt="none" size="sm">
        {type}
      </Badge>
    </li>
  );
}
