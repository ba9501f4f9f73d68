/** What a job is about, how far it is, and when to ask again. */
import { numberOf, textOf, type JsonObject } from '../../../api/json';
import { texts } from '../../../texts';
import { formatBytes, formatCount } from '../tenants/amounts';

/** Colors of the states of jobs. */
export const STATE_COLORS = {
  queued: 'gray',
  running: 'blue',
  done: 'teal',
  failed: 'red',
  cancelled: 'gray',
} as const;

const words = texts.administration.jobs;

/** A job as this file reads it, whatever its kind. */
export interface AnyJob {
  readonly kind: string;
  readonly request: JsonObject;
  readonly progress?: JsonObject;
}

export function isOpen({ state }: { readonly state: string }): boolean {
  return state === 'queued' || state === 'running';
}

const SHORTEST_MS = 500;
const LONGEST_MS = 10_000;

/** Milliseconds until a job is read again: a tenth of its age, so that a long one is asked seldom. */
export function pollAfter(created: string, now: number): number {
  const age = now - Date.parse(created);
  return Math.min(Math.max(age / 10, SHORTEST_MS), LONGEST_MS);
}

export function titleOf({ kind, request }: Pick<AnyJob, 'kind' | 'request'>): string {
  const release = textOf(request['release'])?.toUpperCase();
  if (kind === 'reindex') return words.reindexOf(release ?? words.indexes.both);
  const bytes = numberOf(request['bytes']);
  const source = textOf(request['package']) ?? (bytes === undefined ? kind : words.file(formatBytes(bytes)));
  const options = [
    release ?? '',
    request['examples'] === true ? words.withExamples : '',
    request['dependencies'] === true ? words.withDependencies : '',
  ].filter((text) => text !== '');
  return [source, ...options].join(', ');
}

export interface Progress {
  readonly text: string;
  /** From 0 to 100. */
  readonly percent: number;
}

/** Undefined: it has not begun, or says nothing yet. */
export function progressOf({ kind, progress }: Pick<AnyJob, 'kind' | 'progress'>): Progress | undefined {
  if (progress === undefined) return undefined;
  const count = (name: string): number => numberOf(progress[name]) ?? 0;
  const all = count('resources');
  const done =
    kind === 'reindex' ? count('compared') : count('stored') + count('unchanged') + count('refused');
  const numbers = [formatCount(done), formatCount(all)] as const;
  const text =
    kind === 'reindex'
      ? words.comparing((textOf(progress['release']) ?? '').toUpperCase(), ...numbers)
      : words.importing(textOf(progress['package']) ?? '', ...numbers);
  return { text, percent: all === 0 ? 0 : Math.min(100, (100 * done) / all) };
}

export interface FileReason {
  readonly file: string;
  readonly reason: string;
}

/** The files of a list of a result. */
export function filesOf(list: readonly JsonObject[]): readonly FileReason[] {
  return list.map((each) => ({ file: textOf(each['file']) ?? '', reason: textOf(each['reason']) ?? '' }));
}
