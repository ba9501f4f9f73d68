/** What would be sent from a file: a Bundle, a resource, or a resource on each line. Values stay as they are written. */
import { isValidId } from '../../../../packages/fhir-values/id';
import type { LineFault, Planned } from '../run-batch';
import { entriesOf, type Members } from './entries-of';
import { rest } from './rest';

/** A file that is longer is refused: a browser holds it in memory. */
export const MOST_BYTES = 100_000_000;
/** The server takes no longer Bundle; its own limit may be lower. */
const MOST_BUNDLE_BYTES = 64_000_000;
/** Characters between two rests. */
const SLICE = 1_000_000;

export type FileKind = 'lines' | 'resource' | 'batch' | 'transaction' | 'entries';

export interface FilePlan {
  readonly kind: FileKind;
  readonly planned: readonly Planned[];
  /** Lines that are no resources. They are not sent. */
  readonly faults: readonly LineFault[];
  /** The whole text of a transaction, which is sent as it is. */
  readonly whole: string | undefined;
}

/** Why a file cannot be read. */
export class UnreadableFile extends Error {
  constructor(
    readonly reason: 'long' | 'empty' | 'text' | 'long-bundle' | 'not-fhir',
    readonly details = '',
  ) {
    super(reason);
  }
}

interface Look {
  readonly resourceType: string;
  readonly id: string | undefined;
}

/** The type and id in the text of a resource, which is only looked at: what is sent is the text. Throws `SyntaxError`. */
function lookAt(text: string): Look | undefined {
  const value = JSON.parse(text) as unknown;
  if (typeof value !== 'object' || value === null) return undefined;
  const { resourceType, id } = value as { readonly resourceType?: unknown; readonly id?: unknown };
  if (typeof resourceType !== 'string' || !/^[A-Z][A-Za-z]*$/.test(resourceType)) return undefined;
  return { resourceType, id: typeof id === 'string' && isValidId(id) ? id : undefined };
}

/** An update under the id of the resource, or a create where it has none. */
function planOf(line: number, resource: string): Planned | LineFault {
  let look: Look | undefined;
  try {
    look = lookAt(resource);
  } catch (error) {
    return { line, text: error instanceof Error ? error.message : String(error) };
  }
  if (look === undefined) return { line, text: '' };
  const { resourceType: type, id } = look;
  const [method, url] = id === undefined ? ['POST', type] : ['PUT', `${type}/${id}`];
  const request = JSON.stringify({ method, url });
  return { line, method, url, type, resource, entry: `{"request":${request},"resource":${resource}}` };
}

/** The entry of a batch, with all that its request says. */
function entryOf(line: number, members: Members): Planned | LineFault {
  const request = members.get('request');
  const resource = members.get('resource');
  if (request === undefined) return { line, text: '' };
  try {
    const { method, url } = JSON.parse(request) as { readonly method?: unknown; readonly url?: unknown };
    const type = resource === undefined ? '' : (lookAt(resource)?.resourceType ?? '');
    const text = [...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',');
    return { line, method: String(method), url: String(url), type, resource, entry: `{${text}}` };
  } catch (error) {
    return { line, text: error instanceof Error ? error.message : String(error) };
  }
}

function divide(all: readonly (Planned | LineFault)[]): Pick<FilePlan, 'planned' | 'faults'> {
  return {
    planned: all.filter((each): each is Planned => 'entry' in each),
    faults: all.filter((each): each is LineFault => !('entry' in each)),
  };
}

async function readLines(text: string): Promise<FilePlan> {
  const all: (Planned | LineFault)[] = [];
  let rested = 0;
  let line = 0;
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from);
    const to = end === -1 ? text.length : end;
    line++;
    const content = text.slice(from, to).trim();
    if (content !== '') all.push(planOf(line, content));
    from = to + 1;
    if (from - rested < SLICE) continue;
    rested = from;
    await rest();
  }
  return { kind: 'lines', ...divide(all), whole: undefined };
}

async function readBundle(text: string): Promise<FilePlan> {
  const { members, entries } = await entriesOf(text);
  const type: unknown = JSON.parse(members.get('type') ?? 'null');
  if (type === 'transaction' || type === 'batch')
    return {
      kind: type,
      ...divide(entries.map((entry, index) => entryOf(index + 1, entry))),
      whole: type === 'transaction' ? text : undefined,
    };
  // Documents and messages mean something as a whole.
  if (type === 'document' || type === 'message') return readOne(text);
  const resources = entries.map((entry, index) => {
    const resource = entry.get('resource');
    return resource === undefined ? { line: index + 1, text: '' } : planOf(index + 1, resource);
  });
  return { kind: 'entries', ...divide(resources), whole: undefined };
}

function readOne(text: string): FilePlan {
  return { kind: 'resource', ...divide([planOf(1, text.trim())]), whole: undefined };
}

/** The plan without resources of types that the server does not have; they are faults in the words of `say`. */
export function leaveUnknown(
  plan: FilePlan,
  types: Pick<ReadonlySet<string>, 'has'>,
  say: (type: string) => string,
): FilePlan {
  // Requests of a Bundle say themselves what they are.
  if (plan.kind === 'batch' || plan.kind === 'transaction') return plan;
  const unknown = plan.planned.filter(({ type }) => !types.has(type));
  if (unknown.length === 0) return plan;
  const faults = [...plan.faults, ...unknown.map(({ line, type }) => ({ line, text: say(type) }))];
  return {
    ...plan,
    planned: plan.planned.filter(({ type }) => types.has(type)),
    faults: faults.toSorted((one, other) => one.line - other.line),
  };
}

/** True: the first line is a resource of its own, and there are more of them. */
function isLines(text: string): boolean {
  const [first = '', ...others] = text.trimStart().slice(0, SLICE).split('\n');
  if (!others.some((line) => line.trim() !== '')) return false;
  try {
    return lookAt(first) !== undefined;
  } catch {
    // A first line with a fault is still one where each of the others is an object of its own.
    return others.length > 1 && others.slice(0, 3).every((line) => /^\s*\{.*\}\s*$/.test(line));
  }
}

/** Reads a file. Throws `UnreadableFile`. */
export async function readFile(file: Blob, name: string): Promise<FilePlan> {
  if (file.size > MOST_BYTES) throw new UnreadableFile('long');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new UnreadableFile('text');
  }
  if (text.trim() === '') throw new UnreadableFile('empty');
  if (/\.ndjson$/i.test(name) || isLines(text)) return readLines(text);
  if (file.size > MOST_BUNDLE_BYTES) throw new UnreadableFile('long-bundle');
  try {
    const isBundle = /"resourceType"\s*:\s*"Bundle"/.test(text) && lookAt(text)?.resourceType === 'Bundle';
    const plan = isBundle ? await readBundle(text) : readOne(text);
    const [fault] = plan.faults;
    if (plan.kind === 'resource' && fault !== undefined) throw new UnreadableFile('not-fhir', fault.text);
    return plan;
  } catch (error) {
    if (error instanceof SyntaxError) throw new UnreadableFile('not-fhir', error.message);
    throw error;
  }
}
