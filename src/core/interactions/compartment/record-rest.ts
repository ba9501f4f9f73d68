/** Includes resources behind a record, when cursors had no more room for the names of included ones. */
import type { SearchPage } from '../../api/search';
import type { StoredVersion } from '../../storage/read/stored-version';
import type { RequestContext } from '../../context';
import type { RecordRequest } from '../../operation-types/environment';
import type { Services } from '../../ports';
import { compareKeys } from '../../storage/search/search-run';
import { MAX_PAGE_BYTES } from '../../storage/read/version-read';
import { IncludedResources, sealRestCursor, type RecordRest, type RestAddress } from './record-cursor';
import type { RecordReader } from './record-reader';
import { RECORD_LIMITS } from './record-limits';
import { isAt, isBefore, type RecordEnd, type RecordSteps } from './record-steps';
import { afterOf } from '../../search-execution/page/search-position';

/** Matches per statement. */
const BATCH = 1000;

/**
 * One page of the resources that the record refers to and that are not yet included (`start.alreadyIncluded`), in the order of
 * their keys. Each page scans the whole record again and keeps the lowest keys behind those of the previous page, so
 * that each resource is included once, however many there are. A record that is too long for one request is scanned by
 * several pages, of which only the last has entries.
 * Cost: the texts of the record are read and parsed, some 50 ms for a thousand.
 */
export async function restOfRecord(
  services: Pick<Services, 'definitions' | 'hasher' | 'secretKeys'>,
  context: RequestContext,
  request: RecordRequest,
  {
    reader,
    steps,
    start,
  }: { readonly reader: RecordReader; readonly steps: RecordSteps; readonly start: RecordRest },
): Promise<Pick<SearchPage, 'included' | 'next'>> {
  const seal = (rest: RecordRest): string => sealRestCursor(services, context, request, rest);
  const least = new LeastAddresses(start);
  const stop = await scan(services, context, reader, { steps, recordRest: start, least });
  if (stop !== undefined)
    return { included: [], next: seal({ ...start, ...least.take(RECORD_LIMITS.carried), scanned: stop }) };
  const { candidates, isCut } = least.take(RECORD_LIMITS.included);
  const definitions = services.definitions(context.space.release);
  const addresses = candidates.map(({ typeNumber, key }) => ({
    type: definitions.typeName(typeNumber) ?? '',
    key,
  }));
  const included: StoredVersion[] = [];
  let bytes = 0;
  let done = 0;
  for await (const version of reader.versionsOf(addresses)) {
    if (version !== undefined && (await reader.comesAlong(version))) {
      bytes += version.text.length;
      if (bytes > MAX_PAGE_BYTES && included.length > 0) break;
      included.push(version);
    }
    done++;
  }
  const beyond = candidates[done - 1];
  if (beyond === undefined || (done === candidates.length && !isCut)) return { included };
  const next = seal({
    alreadyIncluded: start.alreadyIncluded,
    beyond,
    scanned: undefined,
    candidates: [],
    isCut: false,
  });
  return { included, next };
}

/** Scans the record from `recordRest.scanned` on. Returns where it stopped; undefined: at the end. */
async function scan(
  services: Pick<Services, 'definitions' | 'hasher'>,
  context: RequestContext,
  reader: RecordReader,
  {
    steps: { steps, end },
    recordRest: { alreadyIncluded: names, scanned },
    least,
  }: {
    readonly steps: RecordSteps;
    readonly recordRest: RecordRest;
    readonly least: LeastAddresses;
  },
): Promise<RecordEnd | undefined> {
  const definitions = services.definitions(context.space.release);
  const alreadyIncluded = new IncludedResources(services.hasher, names);
  let count = 0;
  let characters = 0;
  for (const step of steps) {
    const { isShown, stream, part } = step;
    const { type, typeNumber } = stream;
    if (scanned !== undefined && isBefore(step, scanned)) continue;
    for (let place = isAt(step, scanned) ? scanned : undefined; ;) {
      const isEnough = count >= RECORD_LIMITS.scanned || characters >= RECORD_LIMITS.scannedCharacters;
      if (isEnough && place !== undefined) return place;
      const limit = Math.min(BATCH, RECORD_LIMITS.scanned);
      const matches = await stream.next(place, limit);
      const addresses = matches.map(({ head }) => ({ type, key: afterOf(head).key }));
      for await (const version of reader.versionsOf(addresses)) {
        count++;
        if (version === undefined) continue;
        characters += version.text.length;
        const content = await reader.contentOf(version);
        if (!reader.isOfStep(step, version, content)) continue;
        for (const target of reader.pointersOf(content)) {
          if (!reader.mayComeAlong(target) || alreadyIncluded.has(target.type, target.id)) continue;
          const targetNumber = definitions.typeNumber(target.type);
          if (targetNumber !== undefined)
            least.add({ typeNumber: targetNumber, key: reader.addressOf(target).key });
        }
      }
      const last = matches.at(-1);
      if (last === undefined || matches.length < limit) break;
      place = {
        ...{ isShown, typeNumber, phase: last.phase, after: afterOf(last.head), followed: undefined },
        ...(part === undefined ? {} : { part }),
      };
    }
  }
  return end;
}

/** The lowest distinct addresses behind `beyond`; holds at most twice as many as are wanted. */
class LeastAddresses {
  private readonly beyond: RestAddress | undefined;
  private readonly most: number;
  private readonly names = new Set<string>();
  private held: RestAddress[];
  private isCut: boolean;

  constructor({ beyond, candidates, isCut, scanned }: RecordRest) {
    this.beyond = beyond;
    this.most = scanned === undefined ? RECORD_LIMITS.included : RECORD_LIMITS.carried;
    this.held = [...candidates];
    for (const address of candidates) this.names.add(nameOf(address));
    this.isCut = isCut;
  }

  add(address: RestAddress): void {
    if (this.beyond !== undefined && compare(address, this.beyond) <= 0) return;
    const name = nameOf(address);
    if (this.names.has(name)) return;
    this.names.add(name);
    this.held.push(address);
    if (this.held.length > 2 * this.most) this.cut(this.most);
  }

  /** The lowest addresses; `isCut`: there are more. */
  take(most: number): Pick<RecordRest, 'candidates' | 'isCut'> {
    this.cut(Math.min(most, this.most));
    return { candidates: this.held, isCut: this.isCut };
  }

  private cut(most: number): void {
    this.held.sort(compare);
    if (this.held.length <= most) return;
    this.held = this.held.slice(0, most);
    this.names.clear();
    for (const address of this.held) this.names.add(nameOf(address));
    this.isCut = true;
  }
}

function nameOf({ typeNumber, key }: RestAddress): string {
  return `${typeNumber}.${key}`;
}

function compare(one: RestAddress, other: RestAddress): number {
  return one.typeNumber - other.typeNumber || compareKeys(one.key, other.key);
}
