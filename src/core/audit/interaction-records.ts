/** How interactions are recorded that have a record of their own kind (docs/run/audit.md). */
import type { ExportLevel } from '../api/bulk-export';
import type { BundleAnswer, BundleRequest } from '../api/bundle';
import type { DifferenceRequest, TypeSearchRequest } from '../api/interactions';
import type { Invocation } from '../api/operation';
import type { SearchPage } from '../api/search';
import { GROUP, PATIENT, SUBSCRIPTION } from '../fhir/type-names';
import type { StoredVersion } from '../storage/read/stored-version';
import type { AccessTrail } from './access-trail';
import { describeSearch, lineOf, listedOf } from './describe';
import type { RecordedRun } from './recorder';
import type { Described } from './recording';

/** Records nothing, except in a request with a trail: it is part of another interaction, and recorded by that. */
export const recordFind: RecordedRun<[type: string, id: string], StoredVersion | undefined> = async (
  _recorder,
  run,
  context,
  ...of
) => {
  const version = await run(context, ...of);
  if (version !== undefined) context.trail?.add(lineOf(version));
  return version;
};

/** Records a refused or dry Bundle as a whole; the entries of others are recorded one by one (entry-records.ts). */
export const recordBundle: RecordedRun<[BundleRequest], BundleAnswer> = async (
  recorder,
  run,
  context,
  request,
) => {
  let answer;
  try {
    answer = await run(context, request);
  } catch (error) {
    await recorder.noteFailure(context, { interaction: 'transaction' }, error);
    throw error;
  }
  if (context.trail !== undefined) context.trail.isRecorded = true;
  if (answer.entries.length === 0 || request.isDryRun === true)
    await recorder.note(context, { interaction: answer.type });
  return answer;
};

/** Records each of several searches. */
export const recordSearches: RecordedRun<
  [readonly TypeSearchRequest[]],
  readonly (SearchPage | Error)[]
> = async (recorder, run, context, requests) => {
  const { trail } = context;
  const pages = await run(context, requests);
  for (const [place, request] of requests.entries()) {
    const described = describeSearch(request);
    const page = pages[place];
    if (page instanceof Error) await recorder.noteUnread(context, described, page);
    else if (page === undefined) throw new Error('a search was not answered');
    else if (trail !== undefined) leavePage(trail, described, page);
    else if (recorder.recordsReads) await recorder.note(context, withList(described, page));
  }
  return pages;
};

/** The operation that has the same answer, so that the records of both are alike. */
export function queried(
  id: string,
  code: string,
  given: Readonly<Record<string, string | number | undefined>> = {},
): Invocation {
  const query = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  return { level: 'instance', type: SUBSCRIPTION, id, code, query, safe: true };
}

/** The operation of a kick-off, and of what belongs to an export. */
export function exportOf(
  level: ExportLevel,
  group?: string,
): Pick<Invocation, 'level' | 'type' | 'id' | 'code'> {
  if (level === 'system') return { level, code: 'export' };
  if (level === 'patient') return { level: 'type', type: PATIENT, code: 'export' };
  return { level: 'instance', type: GROUP, code: 'export', ...(group === undefined ? {} : { id: group }) };
}

/** The versions that a difference is made of, as a record has them. */
export function comparedBy({ type, id, from, to }: DifferenceRequest): string[] {
  return [from, to].map((version) => `${type}/${id}/_history/${version}`);
}

// Member by member: a copy of all members costs more than the rest of a record.
export function withList({ interaction, type, query }: Described, page: SearchPage): Described {
  return { interaction, type, query, details: listedOf(page) };
}

export function leavePage(trail: AccessTrail, { query = '' }: Described, page: SearchPage): void {
  const list = listedOf(page);
  const { matches, included } = page;
  if (list !== undefined && trail.addList(query, list, matches.length + included.length)) return;
  trail.add(query);
  for (const version of matches) trail.add(lineOf(version));
  for (const version of included) trail.add(lineOf(version));
}
