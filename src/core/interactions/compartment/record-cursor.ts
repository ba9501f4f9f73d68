import type { RequestContext } from '../../context';
import { openCursor, sealCursor, type CursorContent } from '../../search-execution/page/cursor';
import { fhirError } from '../../errors';
import type { RecordRequest } from '../../operations/environment';
import type { Services } from '../../ports';
import { RECORD_LIMITS } from './record-limits';
import type { RecordPlace } from './record-steps';
import { PHASES } from '../../search-execution/page/search-position';

/** Where the next page of the resources of a record begins. */
export interface RecordPosition extends RecordPlace {
  /** What the pages so far have brought along, by `BroughtAlong`. */
  readonly brought: string;
}

/** Of something that comes along behind the resources of a record. */
export interface RestAddress {
  readonly typeNumber: number;
  /** Decimal form of its 64-bit key. */
  readonly key: string;
}

/** Where the next page of what comes along behind them begins. */
export interface RecordRest {
  readonly brought: string;
  /** All up to this address are done with; undefined: none. */
  readonly beyond: RestAddress | undefined;
  /** The record has been looked at up to here; undefined: not yet. */
  readonly scanned: RecordPlace | undefined;
  /** The least addresses that were found in it. */
  readonly candidates: readonly RestAddress[];
  /** There are more behind the candidates. */
  readonly isCut: boolean;
}

const NAME_LENGTH = 8;

/**
 * Which resources earlier pages have brought along, in short: 48 bits of a keyed hash of each, so that of a thousand
 * resources two have the same once in half a billion records. When it is full, all else comes along behind the resources
 * of the record (record-rest.ts).
 */
export class BroughtAlong {
  readonly #names: Set<string>;

  constructor(
    private readonly hasher: Services['hasher'],
    text = '',
  ) {
    this.#names = new Set(text.match(new RegExp(`.{${NAME_LENGTH}}`, 'g')));
  }

  get isFull(): boolean {
    return this.#names.size >= RECORD_LIMITS.names;
  }

  has(type: string, id: string): boolean {
    return this.#names.has(this.#nameOf(type, id));
  }

  /** Not to be called when it is full. True: there is room for more. */
  add(type: string, id: string): boolean {
    this.#names.add(this.#nameOf(type, id));
    return !this.isFull;
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

/** The first member of a cursor: what the next page has. */
const LOOKED_AT = 0;
const SHOWN = 1;
const REST = 2;

export function sealRecordCursor(
  { secretKeys }: Pick<Services, 'secretKeys'>,
  context: RequestContext,
  request: RecordRequest,
  position: RecordPosition,
): string {
  return sealCursor(secretKeys, boundText(context, request), [
    ...placeContent(position),
    position.followed ?? null,
    position.brought,
  ]);
}

export function sealRestCursor(
  { secretKeys }: Pick<Services, 'secretKeys'>,
  context: RequestContext,
  request: RecordRequest,
  { brought, beyond, scanned, candidates, isCut }: RecordRest,
): string {
  return sealCursor(secretKeys, boundText(context, request), [
    REST,
    brought,
    beyond === undefined ? '' : addressText(beyond),
    candidates.map(addressText).join(','),
    isCut ? 1 : 0,
    ...(scanned === undefined ? [] : placeContent(scanned)),
  ]);
}

function placeContent({ isShown, typeNumber, phase, after }: RecordPlace): CursorContent {
  return [isShown ? SHOWN : LOOKED_AT, typeNumber, phase, after.sortValue, after.key];
}

function addressText({ typeNumber, key }: RestAddress): string {
  return `${typeNumber}.${key}`;
}

/** Throws invalidCursor. */
export function openRecordCursor(
  { secretKeys }: Pick<Services, 'secretKeys'>,
  context: RequestContext,
  request: RecordRequest,
  cursor: string,
): RecordPosition | RecordRest {
  const content = openCursor(secretKeys, boundText(context, request), cursor);
  if (content[0] === REST) return restOf(content);
  const [followed, brought] = content.slice(PLACE_LENGTH);
  if (typeof followed === 'string' || typeof brought !== 'string') throw fhirError('invalidCursor');
  return { ...placeOf(content), followed: followed ?? undefined, brought };
}

const PLACE_LENGTH = 5;

function placeOf(content: CursorContent): RecordPlace {
  const [isShown, typeNumber, name, sortValue, key] = content;
  const phase = PHASES.find((candidate) => candidate === name);
  if (
    typeof typeNumber !== 'number' ||
    phase === undefined ||
    typeof key !== 'string' ||
    typeof sortValue === 'string' ||
    sortValue === undefined
  )
    throw fhirError('invalidCursor');
  return { isShown: isShown === SHOWN, typeNumber, phase, after: { sortValue, key }, followed: undefined };
}

function restOf([_kind, brought, beyond, candidates, isCut, ...scanned]: CursorContent): RecordRest {
  if (typeof brought !== 'string' || typeof beyond !== 'string' || typeof candidates !== 'string')
    throw fhirError('invalidCursor');
  return {
    brought,
    beyond: addressesOf(beyond)[0],
    candidates: addressesOf(candidates),
    isCut: isCut === 1,
    scanned: scanned.length === 0 ? undefined : placeOf(scanned),
  };
}

function addressesOf(text: string): RestAddress[] {
  return text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const [typeNumber, key] = part.split('.');
      if (key === undefined) throw fhirError('invalidCursor');
      return { typeNumber: Number(typeNumber), key };
    });
}
