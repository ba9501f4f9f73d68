/** Sends many requests, or tries them first, in batches of bounded size, one after the other. */
import { MOST_ENTRIES, postBundle } from '../api/batch';
import { Failure, issuesOf } from '../api/failure';
import { isObject, textOf, type JsonObject } from '../api/json';
import type { Space } from '../place';

/** One request of a batch. */
export interface Planned {
  /** Its place, from 1: the line of a file, or the number of an entry. */
  readonly line: number;
  readonly method: string;
  readonly url: string;
  /** Of the resource; '' where there is none. */
  readonly type: string;
  /** The text of the entry: `request`, and `resource` where there is one. */
  readonly entry: string;
  /** The text of the resource; undefined: none. */
  readonly resource: string | undefined;
}

export interface LineFault {
  readonly line: number;
  readonly text: string;
}

/** What is to be done: `try` stores nothing. */
export interface Job {
  readonly purpose: 'try' | 'send';
  readonly planned: readonly Planned[];
  /** The text of a transaction, which is sent as it is in place of batches. */
  readonly whole?: string | undefined;
}

const MOST_CHARACTERS = 1_000_000;
/** Further ones are counted. */
export const MOST_FAULTS = 1_000;

export interface Progress {
  readonly done: number;
  readonly faults: readonly LineFault[];
  /** The lines of all faults, also of those that are not in the list. */
  readonly failed: ReadonlySet<number>;
  /** Warnings of a dry run. */
  readonly warnings: readonly LineFault[];
}

/** A run that goes on, or how it has ended. */
export interface Run {
  readonly purpose: Job['purpose'];
  readonly all: number;
  readonly progress: Progress;
  readonly end: 'running' | 'done' | 'stopped' | Error;
}

/** Entries in parts that the server answers soon. */
export function partsOf(planned: readonly Planned[]): readonly (readonly Planned[])[] {
  const parts: Planned[][] = [];
  let characters = Infinity;
  for (const each of planned) {
    const last = parts.at(-1);
    characters += each.entry.length;
    if (last === undefined || last.length === MOST_ENTRIES || characters > MOST_CHARACTERS) {
      parts.push([each]);
      characters = each.entry.length;
    } else last.push(each);
  }
  return parts;
}

/** The entry that tries another one: `$validate` of its resource. */
function trialOf({ type, resource }: Planned): string {
  const found = JSON.stringify({ method: 'POST', url: `${type}/$validate` });
  return `{"request":${found},"resource":${resource ?? 'null'}}`;
}

const bundleOf = (type: string, entries: readonly string[]): string =>
  `{"resourceType":"Bundle","type":"${type}","entry":[${entries.join(',')}]}`;

/** What the answer to an entry says against it, and what it remarks. */
function findingsOf(
  entry: JsonObject | undefined,
  isTrial: boolean,
): { faults: string[]; warnings: string[] } {
  const response = isObject(entry?.['response']) ? entry['response'] : {};
  const status = Number((textOf(response['status']) ?? '0').slice(0, 3));
  const outcome = isTrial && status < 400 ? entry?.['resource'] : response['outcome'];
  const issues = issuesOf(outcome);
  const isBad = (severity: string): boolean => severity === 'error' || severity === 'fatal';
  const textsOf = (bad: boolean): string[] =>
    issues
      .filter(({ severity }) => severity !== 'information' && isBad(severity) === bad)
      .map(({ expression: [place], text }) => (place === undefined ? text : `${place}: ${text}`));
  const faults = textsOf(true);
  if (faults.length === 0 && (status >= 400 || status === 0)) faults.push(`status ${status}`);
  return { faults, warnings: isTrial ? textsOf(false) : [] };
}

/** Collects what parts say. */
class Collected {
  private done = 0;
  private readonly failed = new Set<number>();
  private readonly faults: LineFault[] = [];
  private readonly warnings: LineFault[] = [];

  add(line: number, { faults, warnings }: ReturnType<typeof findingsOf>): void {
    this.done++;
    if (faults.length > 0) {
      this.failed.add(line);
      if (this.faults.length < MOST_FAULTS) this.faults.push({ line, text: faults.join('\n') });
    }
    if (warnings.length > 0 && this.warnings.length < MOST_FAULTS)
      this.warnings.push({ line, text: warnings.join('\n') });
  }

  get progress(): Progress {
    const { done, failed } = this;
    return { done, failed, faults: [...this.faults], warnings: [...this.warnings] };
  }
}

/** A part that failed as a whole: how far the others have come, and which lines it has. */
export class PartFailure extends Error {
  constructor(
    readonly from: number,
    readonly to: number,
    readonly failure: unknown,
  ) {
    super(failure instanceof Error ? failure.message : String(failure));
  }

  /** True: the answer was lost, so that nobody knows what was stored. */
  get isUnknown(): boolean {
    return !(this.failure instanceof Failure) || this.failure.status === 0 || this.failure.status >= 500;
  }
}

/**
 * Tries or sends requests. A transaction is sent as one request; everything else in batches of at most 100 entries or a
 * megabyte. Throws `PartFailure`, and the error of the signal.
 */
export async function runBatch(
  space: Space,
  { purpose, planned: all, whole }: Job,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (progress: Progress) => void },
): Promise<void> {
  const collected = new Collected();
  const isTrial = purpose === 'try';
  const planned = isTrial ? all.filter(isTriable) : all;
  const text = isTrial ? undefined : whole;
  for (const part of text === undefined ? partsOf(planned) : [planned]) {
    const entries = (): string[] => part.map((each) => (isTrial ? trialOf(each) : each.entry));
    let answers: readonly JsonObject[];
    try {
      answers = await postBundle(space, text ?? bundleOf('batch', entries()), {
        ...{ signal, isMinimal: true },
      });
    } catch (error) {
      if (signal.aborted) throw error;
      throw new PartFailure(part[0]?.line ?? 1, part.at(-1)?.line ?? 1, error);
    }
    part.forEach(({ line }, index) => collected.add(line, findingsOf(answers[index], isTrial)));
    onProgress(collected.progress);
  }
}

/** True: a request writes a resource, which can be validated. */
export function isTriable({ type, resource }: Planned): boolean {
  return resource !== undefined && type !== '';
}
