import { setImmediate } from 'node:timers/promises';
import { visibilityOf } from '../access/visibility';
import type { SearchPage, StoredVersion } from '../api';
import type { RequestContext } from '../context';
import { parseStoredObject, type JsonObject } from '../fhir/json';
import type { LocalReference } from '../fhir/reference';
import { pointersOf } from '../fhir/reference/pointers';
import type { RecordRequest } from '../operations/environment';
import { compartmentOwners } from '../search/compartment';
import type { Services } from '../services';
import { MAX_PAGE_BYTES, type ResourceAddress } from '../storage/version-read';
import { keyOfText, keyText } from '../storage/version-row';
import { read } from './read';
import { readAtOnce } from './reading';
import {
  BroughtAlong,
  openRecordCursor,
  sealRecordCursor,
  type RecordPlace,
  type RecordPosition,
} from './record-cursor';
import { recordSteps, type RecordStep } from './record-steps';
import { withReason } from './search-timeout';
import { toStoredVersion } from './stored-version';
import { afterOf } from './search-position';

/** Resources that are looked at for one page, shown or not. */
const MAX_LOOKED_AT = 1000;
/** Resources that one page brings along. */
const MAX_BROUGHT = 1000;
/** Resources that are read for one page because another one points to them. */
const MAX_FOLLOWED = 2000;
/** Read by one statement. */
const CHUNK = 200;
/** After so many characters of parsed text other requests have their turn. */
const TURN = 300_000;

/** Whose data are nobody else's. */
const PATIENT = 'Patient';

/**
 * One page of all that belongs to a resource: what is in its compartment, by type, as matches; and what those point to
 * and no other patient owns as included, on the page of the first that points to it
 * (https://hl7.org/fhir/R4/patient-operation-everything.html). Each is bounded; the cursor says where the next page
 * begins, even amid what one resource points to, and what the pages before have brought along.
 * Throws notFound, gone, invalidCursor, searchTimeout.
 * Cost: one snapshot; a statement or two for each type that the page comes to, and one for each 200 texts.
 */
export async function everything(
  services: Services,
  context: RequestContext,
  request: RecordRequest,
): Promise<SearchPage> {
  const { owner, cursor } = request;
  const start = cursor === undefined ? undefined : openRecordCursor(services, context, request, cursor);
  const work = readAtOnce(services, context, async (reading) => {
    const content =
      owner.id === undefined
        ? undefined
        : parseStoredObject((await read(reading, context, owner.type, owner.id)).text);
    return new RecordPage(reading, context, request, content, start).make();
  });
  return withReason(
    work,
    () => "it reads a whole record; ask for less of it by '_count', '_type' or '_since'",
  );
}

/** A resource that the page has come to. */
interface Member {
  readonly place: RecordPlace;
  /** Undefined: it is gone, or not of the record, or not to be shown. */
  readonly shown: StoredVersion | undefined;
  readonly pointers: readonly LocalReference[];
}

interface Found {
  readonly place: RecordPlace;
  readonly step: RecordStep;
}

class RecordPage {
  private readonly included: StoredVersion[] = [];
  private readonly brought: BroughtAlong;
  /** Patients whose data may come along, beside what no patient owns. */
  private readonly ownPatients: ReadonlySet<string>;
  private parsed = 0;

  constructor(
    private readonly services: Services,
    private readonly context: RequestContext,
    private readonly request: RecordRequest,
    owner: JsonObject | undefined,
    private readonly start: RecordPosition | undefined,
  ) {
    this.brought = new BroughtAlong(services.hasher, start?.brought);
    const { type, id } = request.owner;
    this.ownPatients =
      owner === undefined || id === undefined || type === PATIENT
        ? new Set()
        : this.ownersOf(PATIENT, { type, id }, owner);
  }

  async make(): Promise<SearchPage> {
    const { services, context, request, start } = this;
    const steps = await recordSteps(services, context, request);
    const resumed = await this.resume();
    const { found, isAll } = await this.findMembers(steps);
    const members = [...resumed, ...(await this.readMembers(found))];
    const stop = await this.follow(members);
    const done = stop === undefined ? members : members.slice(0, members.indexOf(stop.member) + 1);
    const matches = done.flatMap(({ shown }) => shown ?? []);
    const isLast = stop === undefined && isAll && members.length === resumed.length + found.length;
    const last = done.at(-1)?.place;
    const isWhole = start === undefined && isLast && steps.every(({ isShown }) => isShown);
    const cursorUsed = request.cursor === undefined ? [] : [['_cursor', request.cursor] as const];
    return {
      matches,
      included: this.included,
      issues: [],
      used: [...request.parameters, ...cursorUsed],
      ...(isWhole ? { total: matches.length } : {}),
      ...(isLast || last === undefined
        ? {}
        : {
            next: sealRecordCursor(services, context, request, {
              ...last,
              followed: stop?.followed,
              brought: this.brought.text,
            }),
          }),
    };
  }

  /** The resource amid whose pointers the page before ended. */
  private async resume(): Promise<Member[]> {
    const { start } = this;
    if (start?.followed === undefined) return [];
    const { services, context } = this;
    const type = services.definitions(context.space.release).typeName(start.typeNumber) ?? '';
    for await (const version of this.versionsOf([{ type, key: start.after.key }])) {
      if (version === undefined) break;
      const pointers = this.pointersOf(await this.contentOf(version));
      return [{ place: start, shown: undefined, pointers }];
    }
    return [];
  }

  /** What the page comes to, from its beginning on; `isAll`: there is nothing behind it. */
  private async findMembers(
    steps: readonly RecordStep[],
  ): Promise<{ readonly found: readonly Found[]; readonly isAll: boolean }> {
    const { start, request } = this;
    const found: Found[] = [];
    let shown = 0;
    for (const step of steps) {
      const { isShown, stream } = step;
      const { typeNumber } = stream;
      if (start !== undefined && isBefore(step, start)) continue;
      const isHere = start?.isShown === isShown && start.typeNumber === typeNumber;
      const room = Math.min(MAX_LOOKED_AT - found.length, isShown ? request.count - shown : Infinity);
      const matches = await stream.next(isHere ? start : undefined, room + 1);
      for (const { phase, head } of matches.slice(0, room)) {
        found.push({
          step,
          place: { isShown, typeNumber, phase, after: afterOf(head), followed: undefined },
        });
      }
      if (matches.length > room) return { found, isAll: false };
      if (isShown) shown += matches.length;
    }
    return { found, isAll: true };
  }

  /** As many from the first on as come to the bytes of a page. */
  private async readMembers(found: readonly Found[]): Promise<Member[]> {
    const members: Member[] = [];
    let bytes = 0;
    const addresses = found.map(({ step, place }) => ({ type: step.stream.type, key: place.after.key }));
    for await (const version of this.versionsOf(addresses)) {
      const at = found[members.length];
      bytes += version?.text.length ?? 0;
      if (at === undefined || (bytes > MAX_PAGE_BYTES && members.length > 0)) break;
      members.push(await this.toMember(at, version));
    }
    return members;
  }

  private async toMember({ place, step }: Found, version: StoredVersion | undefined): Promise<Member> {
    const nothing = { place, shown: undefined, pointers: [] };
    if (version === undefined) return nothing;
    // It was shown, and what it points to has come along.
    if (!step.isShown && this.isAskedFor(version)) return nothing;
    const content = await this.contentOf(version);
    const { owner } = this.request;
    if (owner.id === undefined && this.ownersOf(owner.type, version, content).size === 0) return nothing;
    return { place, shown: step.isShown ? version : undefined, pointers: this.pointersOf(content) };
  }

  /**
   * Brings along what the members point to, in their order. What is left when the page has enough: the member amid whose
   * pointers it ends, and how many of them are done with.
   */
  private async follow(
    members: readonly Member[],
  ): Promise<{ readonly member: Member; readonly followed: number } | undefined> {
    const wanted: { readonly member: Member; readonly followed: number; readonly target: LocalReference }[] =
      [];
    const names = new Set<string>();
    for (const member of members) {
      for (const [followed, target] of member.pointers.entries()) {
        const { type, id } = target;
        const name = `${type}/${id}`;
        if (followed < (member.place.followed ?? 0) || names.has(name)) continue;
        if (!this.mayComeAlong(target) || this.brought.has(type, id)) continue;
        names.add(name);
        wanted.push({ member, followed, target });
      }
    }
    const followed = wanted.slice(0, MAX_FOLLOWED);
    let bytes = 0;
    let position = 0;
    for await (const version of this.versionsOf(followed.map(({ target }) => this.addressOf(target)))) {
      const at = followed[position++];
      if (at === undefined) break;
      const { type, id } = at.target;
      if (version === undefined || version.id !== id) continue;
      if (!this.isAskedFor(version) || !this.isNobodyElses(version, await this.contentOf(version))) continue;
      bytes += version.text.length;
      const { length } = this.included;
      if (length === MAX_BROUGHT || (bytes > MAX_PAGE_BYTES && length > 0)) return at;
      this.included.push(version);
      this.brought.add(type, id);
    }
    return wanted[MAX_FOLLOWED];
  }

  /** Before it has been read. */
  private mayComeAlong({ type, id }: LocalReference): boolean {
    const { owner, types } = this.request;
    if (types !== undefined && !types.includes(type)) return false;
    if (type === owner.type && (owner.id === undefined || owner.id === id)) return false;
    return type !== PATIENT || this.ownPatients.has(id);
  }

  private isAskedFor({ type, lastUpdated }: StoredVersion): boolean {
    const { types, since } = this.request;
    return (types === undefined || types.includes(type)) && (since === undefined || lastUpdated >= since);
  }

  /** Not of the record, where it has its own place, and not another patient's. */
  private isNobodyElses(version: StoredVersion, content: JsonObject): boolean {
    const { owner } = this.request;
    const owners = this.ownersOf(owner.type, version, content);
    if (owner.id === undefined ? owners.size > 0 : owners.has(owner.id)) return false;
    const patients = [...this.ownersOf(PATIENT, version, content)];
    return patients.length === 0 || patients.some((id) => this.ownPatients.has(id));
  }

  private ownersOf(
    ownerType: string,
    of: Pick<StoredVersion, 'type' | 'id'>,
    content: JsonObject,
  ): ReadonlySet<string> {
    const { services, context } = this;
    const definitions = services.definitions(context.space.release);
    return compartmentOwners(definitions, ownerType, of, content, services.references(context.space));
  }

  private pointersOf(content: JsonObject): readonly LocalReference[] {
    return pointersOf(content, this.services.references(this.context.space));
  }

  private async contentOf({ text }: StoredVersion): Promise<JsonObject> {
    this.parsed += text.length;
    if (this.parsed > TURN) {
      this.parsed = 0;
      await setImmediate();
    }
    return parseStoredObject(text);
  }

  private addressOf({ type, id }: LocalReference): { readonly type: string; readonly key: string } {
    return { type, key: keyText(this.services.keys.keyOf(type, id)) };
  }

  /** The current version at each address, in their order; undefined: there is none. Read as they are asked for. */
  private async *versionsOf(
    addresses: readonly { readonly type: string; readonly key: string }[],
  ): AsyncGenerator<StoredVersion | undefined> {
    const { services, context } = this;
    const space = context.space.number;
    const definitions = services.definitions(context.space.release);
    const visibility = visibilityOf(services, context);
    for (let start = 0; start < addresses.length; start += CHUNK) {
      const chunk = addresses.slice(start, start + CHUNK);
      const places = chunk.map(({ type, key }): ResourceAddress => {
        return { type: definitions.typeNumber(type) ?? 0, key: keyOfText(key) };
      });
      for (const [index, row] of (await services.reader.readCurrent(space, places)).entries()) {
        const type = chunk[index]?.type ?? '';
        const whole =
          row === undefined || row.change === 'delete'
            ? undefined
            : await services.reader.complete(space, row);
        const isSeen =
          whole !== undefined &&
          (visibility === undefined ||
            (visibility.permissions.allows(type, 'r') &&
              (await visibility.seesCurrent(type, 'r', space, whole))));
        yield isSeen ? toStoredVersion(services, type, whole) : undefined;
      }
    }
  }
}

function isBefore({ isShown, stream }: RecordStep, start: RecordPlace): boolean {
  if (isShown !== start.isShown) return isShown;
  return stream.typeNumber < start.typeNumber;
}
