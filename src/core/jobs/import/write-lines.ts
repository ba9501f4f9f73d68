/** Writes lines of an import as transactions, and finds out which of them are refused. */
import type { BundleRequest } from '../../api/bundle';
import type { ImportPart } from '../../storage/jobs/import-part';
import { isBusy, repeatWhile } from '../../concurrency/while-busy';
import type { RequestContext } from '../../context';
import { FhirError, type Issue } from '../../errors';
import type { ReadLine } from './read-lines';
import { issuesByEntry, namesEntry, withAdvice } from './refused-line';

/** Lines of a chunk that are written together. */
export interface LinesToWrite {
  readonly lines: readonly ReadLine[];
  /** True: a reference without a target is an error of its line; false: the line waits for a later pass. */
  readonly isLast: boolean;
  /** Lines of them that are left, after those that are written or refused or wait. */
  readonly toParts: (fate: LineFates) => readonly ImportPart[];
}

export interface LineFates {
  readonly written: readonly ReadLine[];
  readonly refused: readonly (readonly [line: ReadLine, issues: readonly Issue[]])[];
  readonly waiting: readonly ReadLine[];
  /** Lines that were not tried. */
  readonly left: readonly ReadLine[];
}

export interface WriteTools {
  readonly signal: AbortSignal;
  /** The context of the client, with its rights of this moment. Throws unauthorized. */
  context(): Promise<RequestContext>;
  /** Writes a transaction. */
  bundle(context: RequestContext, request: BundleRequest): Promise<unknown>;
  /** Stores parts in a transaction of their own. */
  store(context: RequestContext, parts: readonly ImportPart[]): Promise<void>;
}

/**
 * Writes lines in one transaction, without those that are refused, and stores with it what became of each. The lines must be of
 * different resources. Throws ImportPartWritten, and the errors that are none of a line. Cost: one attempt, and one more for each
 * group of lines that are refused.
 */
export async function writeLines(
  tools: WriteTools,
  { lines, isLast, toParts }: LinesToWrite,
): Promise<LineFates> {
  let entries = lines;
  const refused: (readonly [ReadLine, readonly Issue[]])[] = [];
  const waiting: ReadLine[] = [];
  let left: readonly ReadLine[] = [];
  for (;;) {
    tools.signal.throwIfAborted();
    const fates = { written: entries, refused, waiting, left };
    try {
      await whileServerIsBusy(tools, (context) => attempt(tools, context, entries, toParts(fates)));
      return fates;
    } catch (error) {
      if (!(error instanceof FhirError) || isOfServer(error) || entries.length === 0) throw error;
      const found = issuesByEntry(error, (index) => entries[index]?.type ?? '');
      const [first] = entries;
      if (found.size > 0) {
        for (const [index, issues] of found) {
          const line = entries[index];
          if (line === undefined) throw error;
          if (error.key === 'brokenReference' && !isLast) waiting.push(line);
          else refused.push([line, withAdvice(error.key, issues)]);
        }
        entries = entries.filter((_line, index) => !found.has(index));
      } else if (entries.length === 1 && first !== undefined) {
        refused.push([first, withAdvice(error.key, error.issues)]);
        entries = [];
      } else {
        // The error names no line: one of fewer lines is found more easily.
        const half = Math.ceil(entries.length / 2);
        left = [...entries.slice(half), ...left];
        entries = entries.slice(0, half);
      }
    }
  }
}

async function attempt(
  { bundle, store }: WriteTools,
  context: RequestContext,
  lines: readonly ReadLine[],
  importParts: readonly ImportPart[],
): Promise<void> {
  if (lines.length === 0) await store(context, importParts);
  else await bundle(context, { input: { text: toTransaction(lines) }, types: ['transaction'], importParts });
}

/** Each line is one JSON value, so that it cannot be more than the resource of its entry. */
function toTransaction(lines: readonly ReadLine[]): string {
  const entries = lines.map(({ type, id, text }) => {
    const request =
      id === undefined ? { method: 'POST', url: type } : { method: 'PUT', url: `${type}/${id}` };
    return `{"resource":${text},"request":${JSON.stringify(request)}}`;
  });
  return `{"resourceType":"Bundle","type":"transaction","entry":[${entries.join(',')}]}`;
}

/** Repeats an attempt while the server is busy; the last error is thrown. */
function whileServerIsBusy(
  tools: WriteTools,
  work: (context: RequestContext) => Promise<void>,
): Promise<void> {
  return repeatWhile(
    async () => work(await tools.context()),
    (outcome) => 'error' in outcome && isServerBusy(outcome.error),
    { signal: tools.signal },
  );
}

/** True: the server had too much to do, or other writers were faster each time. */
export function isServerBusy(error: unknown): error is FhirError {
  return isBusy(error) || (error instanceof FhirError && error.key === 'bundleConflict');
}

/** True for an error that says nothing about the lines. */
function isOfServer(error: FhirError): boolean {
  const { status, key } = error;
  const isOfClient = status === 401 || (status === 403 && !namesEntry(error));
  return isServerBusy(error) || isOfClient || key === 'internal';
}
