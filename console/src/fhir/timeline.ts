/** One list of the records of many types, newest first, from lists of each type that are read page by page. */
import { textOf, type JsonObject } from '../api/json';
import { dateOf, type DateElement } from './date-elements';
import { dateRange } from '../../../packages/fhir-values/date';

export interface TimelineEntry {
  readonly type: string;
  readonly id: string;
  /** As it is written in the record. */
  readonly date: string | undefined;
  readonly record: JsonObject;
}

/** What has been read of one type, newest first. */
export interface TypeList {
  readonly type: string;
  readonly entries: readonly TimelineEntry[];
  readonly hasMore: boolean;
}

export interface EntryGroup {
  /** `2024-03`; '' for those without a date. */
  readonly month: string;
  readonly entries: readonly TimelineEntry[];
}

export function toEntry(record: JsonObject, dates: readonly DateElement[]): TimelineEntry {
  return {
    type: textOf(record['resourceType']) ?? '',
    id: textOf(record['id']) ?? '',
    date: dateOf(record, dates),
    record,
  };
}

/** Milliseconds since 1970; entries without a date are older than all others. */
function timeOf({ date }: TimelineEntry): number {
  return (date === undefined ? undefined : dateRange(date)?.low) ?? -Infinity;
}

/**
 * The entries that stand in their place for good: a type with more pages may have entries up to the date of the last one
 * that was read, so that older ones of other types wait.
 */
export function settled(lists: readonly TypeList[]): readonly TimelineEntry[] {
  const ends = lists.filter(({ hasMore }) => hasMore).map(({ entries }) => lastTime(entries));
  const end = Math.max(-Infinity, ...ends);
  return lists
    .flatMap(({ entries }) => entries)
    .filter((entry) => timeOf(entry) >= end)
    .toSorted((one, other) => timeOf(other) - timeOf(one));
}

function lastTime(entries: readonly TimelineEntry[]): number {
  const last = entries.at(-1);
  return last === undefined ? Infinity : timeOf(last);
}

/** The entries by the month in which they happened. They come sorted. */
export function byMonth(entries: readonly TimelineEntry[]): readonly EntryGroup[] {
  const groups: { month: string; entries: TimelineEntry[] }[] = [];
  for (const entry of entries) {
    const month = entry.date === undefined ? '' : entry.date.slice(0, 7);
    const last = groups.at(-1);
    if (last?.month === month) last.entries.push(entry);
    else groups.push({ month, entries: [entry] });
  }
  return groups;
}
