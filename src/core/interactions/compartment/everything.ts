import { shownText } from '../../authorization/visibility';
import type { SearchPage } from '../../api/search';
import type { StoredVersion } from '../../storage/read/stored-version';
import type { RequestContext } from '../../context';
import { parseStoredObject } from '../../fhir/json';
import type { LocalReference } from '../../fhir/reference';
import type { RecordRequest } from '../../operation-types/environment';
import type { SearchServices, Services } from '../../ports';
import { MAX_PAGE_BYTES } from '../../storage/read/version-read';
import { read } from '../../versions/read';
import {
  IncludedResources,
  openRecordCursor,
  sealRecordCursor,
  sealRestCursor,
  type RecordPosition,
} from './record-cursor';
import { readGroupMembers } from './group-members';
import { RECORD_LIMITS } from './record-limits';
import { RecordReader } from './record-reader';
import { restOfRecord } from './record-rest';
import {
  isAt,
  isBefore,
  recordSteps,
  type RecordEnd,
  type RecordStep,
  type RecordSteps,
} from './record-steps';
import { withReason } from '../../search-execution/search-timeout';
import { afterOf } from '../../search-execution/page/search-position';

/**
 * One page of all that belongs to a resource (https://hl7.org/fhir/R4/patient-operation-everything.html). Matches are
 * the resources of its compartment, by type. Included are the resources that those refer to and that belong to no other
 * patient: on the page of the first referrer, or, after 500 of them, behind all matches. Each page is bounded. The
 * cursor has the position of the next page, even within the references of one resource, and the names of the included
 * resources.
 * Throws notFound, gone, invalidCursor, searchTimeout.
 * Cost: one snapshot; a statement or two for each type of the page, and one for each 200 texts.
 */
export async function everything(
  services: SearchServices,
  context: RequestContext,
  request: RecordRequest,
): Promise<SearchPage> {
  const { owner, cursor } = request;
  const start = cursor === undefined ? undefined : openRecordCursor(services, context, request, cursor);
  const work = services.scope.inSnapshot(services, context, async (reading) => {
    const content =
      owner.id === undefined
        ? undefined
        : parseStoredObject(
            shownText(services, context, (await read(reading, context, owner.type, owner.id)).text),
          );
    const members = await membersOf(reading, context, request);
    const reader = new RecordReader(reading, context, request, { owner: content, members });
    const isRest = start !== undefined && 'scanned' in start;
    const steps = await recordSteps(reading, context, request, {
      members,
      start: isRest ? start.scanned : start,
    });
    const cursorUsed = cursor === undefined ? [] : [['_cursor', cursor] as const];
    const page: SearchPage = {
      ...{ matches: [], included: [], issues: [] },
      used: [...request.parameters, ...cursorUsed],
    };
    return isRest
      ? { ...page, ...(await restOfRecord(reading, context, request, { reader, steps, start })) }
      : { ...page, ...(await new RecordPage(reading, context, request, { reader, start }).make(steps)) };
  });
  return withReason(
    work,
    () => "it reads a whole record; ask for less of it by '_count', '_type' or '_since'",
  );
}

/** The members of a Group; undefined: the record is another. Throws `tooCostly`, `notFound`, `gone`. */
async function membersOf(
  services: SearchServices,
  context: RequestContext,
  { group }: RecordRequest,
): Promise<readonly string[] | undefined> {
  if (group === undefined) return undefined;
  return readGroupMembers(services, context, group, { now: Date.now(), limit: RECORD_LIMITS.membersOfGroup });
}

/** A resource of the record that the page covers. */
interface Member {
  readonly place: RecordEnd;
  /** Undefined: it is deleted, not part of the record, or not to be shown. */
  readonly shown: StoredVersion | undefined;
  readonly pointers: readonly LocalReference[];
}

interface FoundStep {
  readonly place: RecordEnd;
  readonly step: RecordStep;
}

class RecordPage {
  private readonly included: StoredVersion[] = [];
  private readonly alreadyIncluded: IncludedResources;

  constructor(
    private readonly services: Pick<Services, 'definitions' | 'hasher' | 'secretKeys'>,
    private readonly context: RequestContext,
    private readonly request: RecordRequest,
    private readonly read: { readonly reader: RecordReader; readonly start: RecordPosition | undefined },
  ) {
    this.alreadyIncluded = new IncludedResources(services.hasher, read.start?.alreadyIncluded);
  }

  async make({
    steps,
    end,
  }: RecordSteps): Promise<Pick<SearchPage, 'matches' | 'included' | 'total' | 'next'>> {
    const { start } = this.read;
    const resumed = await this.resume();
    const { found, isAll } = await this.findMembers(steps);
    const members = [...resumed, ...(await this.readMembers(found))];
    const stop = await this.follow(members);
    const done = stop === undefined ? members : members.slice(0, members.indexOf(stop.member) + 1);
    const matches = done.flatMap(({ shown }) => shown ?? []);
    const isCovered = stop === undefined && isAll && members.length === resumed.length + found.length;
    const isLast = isCovered && end === undefined;
    const isWhole = start === undefined && isLast && steps.every(({ isShown }) => isShown);
    const next = isLast
      ? this.restCursor()
      : this.cursorBehind(isCovered ? end : done.at(-1)?.place, stop?.followed);
    return {
      matches,
      included: this.included,
      ...(isWhole ? { total: matches.length } : {}),
      ...(next === undefined ? {} : { next }),
    };
  }

  private cursorBehind(last: RecordEnd | undefined, followed: number | undefined): string | undefined {
    if (last === undefined) return undefined;
    const { services, context, request, alreadyIncluded } = this;
    return sealRecordCursor(services, context, request, {
      ...last,
      followed,
      alreadyIncluded: alreadyIncluded.text,
    });
  }

  /** The cursor of the included resources that did not fit into the names of the cursor. */
  private restCursor(): string | undefined {
    const { services, context, request, alreadyIncluded } = this;
    if (!alreadyIncluded.isFull) return undefined;
    const nothing = { beyond: undefined, scanned: undefined, candidates: [], isCut: false };
    return sealRestCursor(services, context, request, { ...nothing, alreadyIncluded: alreadyIncluded.text });
  }

  /** The resource within whose references the previous page ended. */
  private async resume(): Promise<Member[]> {
    const { start } = this.read;
    if (start?.followed === undefined) return [];
    const { services, context } = this;
    const type = services.definitions(context.space.release).typeName(start.typeNumber) ?? '';
    for await (const version of this.read.reader.versionsOf([{ type, key: start.after.key }])) {
      if (version === undefined) break;
      const pointers = this.read.reader.pointersOf(await this.read.reader.contentOf(version));
      return [{ place: start, shown: undefined, pointers }];
    }
    return [];
  }

  /** The resources that the page covers, in order; `isAll`: there are no more. */
  private async findMembers(
    steps: readonly RecordStep[],
  ): Promise<{ readonly found: readonly FoundStep[]; readonly isAll: boolean }> {
    const { request } = this;
    const { start } = this.read;
    const found: FoundStep[] = [];
    let shown = 0;
    for (const step of steps) {
      const { isShown, stream, part } = step;
      const { typeNumber } = stream;
      if (start !== undefined && isBefore(step, start)) continue;
      const limit = Math.min(RECORD_LIMITS.read - found.length, isShown ? request.count - shown : Infinity);
      const matches = await stream.next(isAt(step, start) ? start : undefined, limit + 1);
      for (const { phase, head } of matches.slice(0, limit)) {
        found.push({
          step,
          place: {
            ...{ isShown, typeNumber, phase, after: afterOf(head), followed: undefined },
            ...(part === undefined ? {} : { part }),
          },
        });
      }
      if (matches.length > limit) return { found, isAll: false };
      if (isShown) shown += matches.length;
    }
    return { found, isAll: true };
  }

  /** The first members whose texts fit into the page. */
  private async readMembers(found: readonly FoundStep[]): Promise<Member[]> {
    const members: Member[] = [];
    let bytes = 0;
    const addresses = found.map(({ step, place }) => ({ type: step.stream.type, key: place.after.key }));
    for await (const version of this.read.reader.versionsOf(addresses)) {
      const at = found[members.length];
      bytes += version?.text.length ?? 0;
      if (at === undefined || (bytes > MAX_PAGE_BYTES && members.length > 0)) break;
      members.push(await this.toMember(at, version));
    }
    return members;
  }

  private async toMember({ place, step }: FoundStep, version: StoredVersion | undefined): Promise<Member> {
    const nothing = { place, shown: undefined, pointers: [] };
    if (version === undefined) return nothing;
    const content = await this.read.reader.contentOf(version);
    if (!this.read.reader.isOfStep(step, version, content)) return nothing;
    return {
      place,
      shown: step.isShown ? version : undefined,
      pointers: this.read.reader.pointersOf(content),
    };
  }

  /**
   * Includes the resources that the members refer to, in their order, while the cursor has room for their names. If the
   * page is full: the member within whose references it ends, and the number of references that are covered.
   */
  private async follow(
    members: readonly Member[],
  ): Promise<{ readonly member: Member; readonly followed: number } | undefined> {
    const { alreadyIncluded } = this;
    const { reader } = this.read;
    if (alreadyIncluded.isFull) return undefined;
    const wanted: { readonly member: Member; readonly followed: number; readonly target: LocalReference }[] =
      [];
    const names = new Set<string>();
    for (const member of members) {
      for (const [followed, target] of member.pointers.entries()) {
        const { type, id } = target;
        const name = `${type}/${id}`;
        if (followed < (member.place.followed ?? 0) || names.has(name)) continue;
        if (!reader.mayComeAlong(target) || alreadyIncluded.has(type, id)) continue;
        names.add(name);
        wanted.push({ member, followed, target });
      }
    }
    const followed = wanted.slice(0, RECORD_LIMITS.followed);
    let bytes = 0;
    let position = 0;
    for await (const version of reader.versionsOf(followed.map(({ target }) => reader.addressOf(target)))) {
      const at = followed[position++];
      if (at === undefined) break;
      const { type, id } = at.target;
      if (version === undefined || version.id !== id || !(await reader.comesAlong(version))) continue;
      bytes += version.text.length;
      if (bytes > MAX_PAGE_BYTES && this.included.length > 0) return at;
      this.included.push(version);
      if (!alreadyIncluded.add(type, id)) return undefined;
    }
    return wanted[RECORD_LIMITS.followed];
  }
}
