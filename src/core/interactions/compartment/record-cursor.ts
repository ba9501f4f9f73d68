import type { RequestContext } from '../../context';
import { openCursor, sealCursor, type CursorContent } from '../../search-execution/page/cursor';
import { fhirError } from '../../errors';
import type { RecordRequest } from '../../operation-types/environment';
import type { Services } from '../../ports';
import { GROUP } from '../../fhir/type-names';
import { RECORD_LIMITS } from './record-limits';
import type { RecordEnd } from './record-steps';
import { PHASES } from '../../search-execution/page/search-position';

/** The position of the next page among the resources of a record. */
export interface RecordPosition extends RecordEnd {
  /** The resources that the pages so far have included, by `IncludedResources`. */
  readonly alreadyIncluded: string;
}

/** The address of a resource to be included behind the record. */
export interface RestAddress {
  readonly typeNumber: number;
  /** Decimal form of its 64-bit key. */
  readonly key: string;
}

/** The position of the next page of those included resources. */
export interface RecordRest {
  readonly alreadyIncluded: string;
  /** All resources up to this address are covered; undefined: none. */
  readonly beyond: RestAddress | undefined;
  /** The record was scanned up to here; undefined: not at all. */
  readonly scanned: RecordEnd | undefined;
  /** The lowest addresses that the scan found. */
  readonly candidates: readonly RestAddress[];
  /** True: there are more than the candidates. */
  readonly isCut: boolean;
}

const NAME_LENGTH = 8;

/**
 * The resources that earlier pages have included, as 48 bits of a keyed hash each: of a thousand
 * resources, two have the same bits once in half a billion records. When it is full, further resources are included
 * behind the resources of the record (record-rest.ts).
 */
export class IncludedResources {
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

  /** Must not be called when it is full. Returns whether there is room for more. */
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

/** The scope of a cursor: the record, space and parameters; `_count` may change. */
function boundText({ space }: RequestContext, { owner, group, parameters }: RecordRequest): string {
  const bound = parameters.filter(([name]) => name !== '_count');
  const address = group === undefined ? `${owner.type}/${owner.id ?? ''}` : `${GROUP}/${group}`;
  return `record ${space.number} ${address} ${JSON.stringify(bound)}`;
}

/** First element of a cursor: the kind of the next page. */
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
    position.alreadyIncluded,
    ...partContent(position),
  ]);
}

export function sealRestCursor(
  { secretKeys }: Pick<Services, 'secretKeys'>,
  context: RequestContext,
  request: RecordRequest,
  { alreadyIncluded, beyond, scanned, candidates, isCut }: RecordRest,
): string {
  return sealCursor(secretKeys, boundText(context, request), [
    REST,
    alreadyIncluded,
    beyond === undefined ? '' : addressText(beyond),
    candidates.map(addressText).join(','),
    isCut ? 1 : 0,
    ...(scanned === undefined ? [] : [...placeContent(scanned), ...partContent(scanned)]),
  ]);
}

function placeContent({ isShown, typeNumber, phase, after }: RecordEnd): CursorContent {
  return [isShown ? SHOWN : LOOKED_AT, typeNumber, phase, after.sortValue, after.key];
}

/** Only in the cursors of a Group, so that those of other records stay as they were. */
function partContent({ part }: RecordEnd): CursorContent {
  return part === undefined ? [] : [part.from, part.to];
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
  const [followed, alreadyIncluded, ...part] = content.slice(PLACE_LENGTH);
  if (typeof followed === 'string' || typeof alreadyIncluded !== 'string') throw fhirError('invalidCursor');
  return { ...placeOf(content, part), followed: followed ?? undefined, alreadyIncluded };
}

const PLACE_LENGTH = 5;

function placeOf(content: CursorContent, [from, to]: CursorContent): RecordEnd {
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
  return {
    ...{ isShown: isShown === SHOWN, typeNumber, phase, after: { sortValue, key }, followed: undefined },
    ...(typeof from === 'string' && typeof to === 'string' ? { part: { from, to } } : {}),
  };
}

function restOf([_kind, alreadyIncluded, beyond, candidates, isCut, ...scanned]: CursorContent): RecordRest {
  if (typeof alreadyIncluded !== 'string' || typeof beyond !== 'string' || typeof candidates !== 'string')
    throw fhirError('invalidCursor');
  return {
    alreadyIncluded,
    beyond: addressesOf(beyond)[0],
    candidates: addressesOf(candidates),
    isCut: isCut === 1,
    scanned: scanned.length === 0 ? undefined : placeOf(scanned, scanned.slice(PLACE_LENGTH)),
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
