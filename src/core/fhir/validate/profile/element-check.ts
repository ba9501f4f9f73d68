/** Checks one element of a profile: the number of its values, their types, and the rules on each. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../json';
import { shorten } from '../../json/fault';
import { runChecks, type Origin, type ValueCheck } from './check';
import type { ProfileRun } from './profile-run';
import type { ShapeMember, Shapes } from './shape';
import type { Item, SlicingCheck } from './slicing';

export interface MemberCheck {
  readonly member: ShapeMember;
  /** False for a type of a choice that the profile excludes. */
  readonly isAllowed: boolean;
  readonly checks: readonly ValueCheck[];
}

export interface ElementRules {
  /** `Observation.component` */
  readonly path: string;
  /** Last part of the path, without `[x]`. */
  readonly name: string;
  /** 0 if the base already requires as many. */
  readonly min: number;
  /** Infinity if the base already allows no more. */
  readonly max: number;
  readonly members: readonly MemberCheck[];
  readonly slicing: SlicingCheck | undefined;
}

/** The place of one value of an element: its companion (`_name`), its index and its container. */
interface ValueRun {
  readonly companionValue: JsonValue | undefined;
  /** Below 0 for an element that is not a list. */
  readonly index: number;
  readonly source: JsonObject;
  /** The collected values for the slicing; undefined without slicing. */
  readonly items: Item[] | undefined;
  readonly at: ProfileRun;
}

/** Checks one element of `source`, which is at the current place. */
export class ElementCheck {
  private readonly allowedTypes: string;

  constructor(
    private readonly rules: ElementRules,
    private readonly shapes: Shapes,
    private readonly origin: Origin,
  ) {
    const allowed = rules.members.filter(({ isAllowed }) => isAllowed);
    this.allowedTypes = allowed.map(({ member }) => member.type.code).join(', ');
  }

  run(source: JsonObject, at: ProfileRun): void {
    const { members, min, max, slicing } = this.rules;
    const items: Item[] | undefined = slicing ? [] : undefined;
    let count = 0;
    for (let index = 0; index < members.length; index++) {
      const each = members[index];
      if (each) count += this.runMember(each, source, items, at);
    }
    if (count < min) this.reportTooFew(count, at);
    if (count > max) this.reportTooMany(count, at);
    if (items) slicing?.run(items, at);
  }

  private runMember(
    each: MemberCheck,
    source: JsonObject,
    items: Item[] | undefined,
    at: ProfileRun,
  ): number {
    const { member, isAllowed } = each;
    const value = source[member.key];
    const companion = member.isPrimitive ? source[member.companionKey] : undefined;
    if (value === undefined && companion === undefined) return 0;
    if (!isAllowed) this.reportType(member, at);
    if (!Array.isArray(value) && !Array.isArray(companion)) {
      return this.runValue(each, value, { companionValue: companion, index: -1, source, items, at });
    }
    const values = Array.isArray(value) ? value : NONE;
    const companions = Array.isArray(companion) ? companion : NONE;
    const length = Math.max(values.length, companions.length);
    let count = 0;
    for (let index = 0; index < length && !at.isOver; index++) {
      count += this.runValue(each, values[index], {
        companionValue: companions[index],
        index,
        source,
        items,
        at,
      });
    }
    return count;
  }

  private runValue(
    { member, checks, isAllowed }: MemberCheck,
    value: JsonValue | undefined,
    { companionValue, index, source, items, at }: ValueRun,
  ): number {
    const companion = isJsonObject(companionValue) ? companionValue : undefined;
    if ((value === undefined || value === null) && companion === undefined) return 0;
    items?.push({ member, value, companion, index, source, shape: this.shapes.ofValue(value, member) });
    if (isAllowed && checks.length > 0 && at.spend(checks.length)) {
      at.push(member.step);
      if (index >= 0) at.push(index);
      runChecks(checks, { member, value, companion, source }, at);
      if (index >= 0) at.pop();
      at.pop();
    }
    return 1;
  }

  private reportType(member: ShapeMember, at: ProfileRun): void {
    const { path } = this.rules;
    const allowed =
      this.allowedTypes === '' ? 'no value is allowed' : `allowed are ${shorten(this.allowedTypes)}`;
    at.push(member.step);
    at.report('profile', `${path} is of type ${member.type.code}; ${allowed} (${this.origin.name})`);
    at.pop();
  }

  private reportTooFew(count: number, at: ProfileRun): void {
    const { path, name, min } = this.rules;
    const found = count === 0 ? `${path} is missing` : `${path} occurs ${times(count)}`;
    at.report('profile', `${found}; at least ${min} must be there (${this.origin.name})`, [name]);
  }

  private reportTooMany(count: number, at: ProfileRun): void {
    const { path, name, max } = this.rules;
    const allowed = max === 0 ? 'it is not allowed' : `at most ${max} may be there`;
    at.report('profile', `${path} occurs ${times(count)}; ${allowed} (${this.origin.name})`, [name]);
  }
}

const NONE: readonly JsonValue[] = [];

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
