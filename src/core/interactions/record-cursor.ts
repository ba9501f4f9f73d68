import type { RequestContext } from '../context';
import { openCursor, sealCursor } from '../cursor';
import { fhirError } from '../errors';
import type { RecordRequest } from '../operations/environment';
import type { Services } from '../services';
import type { TypePlace } from './merge-streams';
import { PHASES } from './search-position';

/** Where a page of a record ends: behind a resource, or amid what it points to. */
export interface RecordPlace extends TypePlace {
  /** Among what is shown, or what is only looked at. */
  readonly isShown: boolean;
  /** So many of its pointers are done with; undefined: all. */
  readonly followed: number | undefined;
}

export interface RecordPosition extends RecordPlace {
  /** What the pages so far have brought along, by `BroughtAlong`. */
  readonly brought: string;
}

const NAME_LENGTH = 8;
/** Of more the address of the next page would be longer than some proxies allow. */
const MAX_NAMES = 500;

/**
 * Which resources earlier pages have brought along, in short: 48 bits of a keyed hash of each, so that of a thousand
 * resources two have the same once in half a billion records. Beyond `MAX_NAMES` it forgets what was not referred to for
 * longest, and that may come along again.
 */
export class BroughtAlong {
  readonly #names: Set<string>;

  constructor(
    private readonly hasher: Services['hasher'],
    text = '',
  ) {
    this.#names = new Set(text.match(new RegExp(`.{${NAME_LENGTH}}`, 'g')));
  }

  /** To be asked whenever it is referred to. */
  has(type: string, id: string): boolean {
    const name = this.#nameOf(type, id);
    const isKnown = this.#names.delete(name);
    if (isKnown) this.#names.add(name);
    return isKnown;
  }

  add(type: string, id: string): void {
    this.#names.add(this.#nameOf(type, id));
    const [oldest] = this.#names;
    if (this.#names.size > MAX_NAMES && oldest !== undefined) this.#names.delete(oldest);
  }

  get text(): string {
    return [...this.#names].join('');
  }

  #nameOf(type: string, id: string): string {
    const high = this.hasher.parts(type, id);
    const bytes = Buffer.alloc(6);
    bytes.writeInt32BE(high);
    bytes.writeUInt16BE(this.hasher.low & 0xffff, 4);
    return bytes.toString('base64url');
  }
}

/** Worth something only for the same record of the same space, asked for in the same way; `_count` may change. */
function boundText({ space }: RequestContext, { owner, parameters }: RecordRequest): string {
  const asked = parameters.filter(([name]) => name !== '_count');
  return `record ${space.number} ${owner.type}/${owner.id ?? ''} ${JSON.stringify(asked)}`;
}

export function sealRecordCursor(
  { secretKeys }: Services,
  context: RequestContext,
  request: RecordRequest,
  { isShown, typeNumber, phase, after, followed, brought }: RecordPosition,
): string {
  return sealCursor(secretKeys, boundText(context, request), [
    isShown ? 1 : 0,
    typeNumber,
    phase,
    after.sortValue,
    after.key,
    followed ?? null,
    brought,
  ]);
}

/** Throws invalidCursor. */
export function openRecordCursor(
  { secretKeys }: Services,
  context: RequestContext,
  request: RecordRequest,
  cursor: string,
): RecordPosition {
  const [isShown, typeNumber, name, sortValue, key, followed, brought] = openCursor(
    secretKeys,
    boundText(context, request),
    cursor,
  );
  const phase = PHASES.find((candidate) => candidate === name);
  if (
    typeof typeNumber !== 'number' ||
    phase === undefined ||
    typeof key !== 'string' ||
    typeof sortValue === 'string' ||
    sortValue === undefined ||
    typeof followed === 'string' ||
    typeof brought !== 'string'
  )
    throw fhirError('invalidCursor');
  return {
    isShown: isShown === 1,
    typeNumber,
    phase,
    after: { sortValue, key },
    followed: followed ?? undefined,
    brought,
  };
}
