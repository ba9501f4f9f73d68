/** Checks slicing (https://hl7.org/fhir/R4/profiling.html#slicing): sorts values into slices and checks each slice. */
import { isJsonObject } from '../../json';
import { shorten } from '../../json/fault';
import { runChecks, type MemberValue, type Origin, type TypedValue, type ValueCheck } from './check';
import type { Criterion } from './discriminator';
import type { ProfileSlicing } from './element';
import type { ProfileRun } from './profile-run';
import type { ShapeMember } from './shape';

/** A value of the sliced element. */
export interface Item extends TypedValue, MemberValue {
  /** Its index among the values of the member; -1 for a single value without an array. */
  readonly index: number;
}

export interface SliceCheck {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** All must hold; empty: a value that passes the checks of the slice is in it. */
  readonly criteria: readonly Criterion[];
  /** The url of the extensions in the slice, if the url alone decides. */
  readonly url: string | undefined;
  checksOf(member: ShapeMember): readonly ValueCheck[];
  readonly slicing: SlicingCheck | undefined;
}

/** The slice of values that match no other slice (https://hl7.org/fhir/R4/profiling.html#default-slice). */
const DEFAULT_SLICE = '@default';

interface SlicedElement {
  /** `Observation.component` */
  readonly path: string;
  /** Last part of the path, without `[x]`. */
  readonly name: string;
}

/** Checks all values of a sliced element. */
export class SlicingCheck {
  private readonly byUrl: ReadonlyMap<string, SliceCheck> | undefined;
  private readonly proper: readonly SliceCheck[];
  private readonly defaultSlice: SliceCheck | undefined;
  private readonly names: string;

  constructor(
    private readonly slicing: Pick<ProfileSlicing, 'rules' | 'isOrdered'>,
    private readonly slices: readonly SliceCheck[],
    private readonly element: SlicedElement,
    private readonly origin: Origin,
  ) {
    this.proper = slices.filter(({ name }) => name !== DEFAULT_SLICE);
    this.defaultSlice = slices.find(({ name }) => name === DEFAULT_SLICE);
    this.names = this.proper.map(({ name }) => name).join(', ');
    const urls = this.proper.flatMap((slice) =>
      slice.url === undefined ? [] : [[slice.url, slice] as const],
    );
    const byUrl = new Map(urls);
    if (byUrl.size === this.proper.length) this.byUrl = byUrl;
  }

  /** The current place is the object that the items are elements of. */
  run(items: readonly Item[], at: ProfileRun): void {
    if (!at.spend(this.byUrl ? items.length : items.length * (this.proper.length + 1))) return;
    const members = new Map<SliceCheck, Item[]>();
    const { rules, isOrdered } = this.slicing;
    let uncertain = 0;
    let last = -1;
    const others: Item[] = [];
    for (const item of items) {
      const found = this.sliceOf(item, at);
      // Without remaining work the result means nothing.
      if (!at.spend(0)) return;
      if (found === 'uncertain') {
        uncertain++;
        continue;
      }
      if (found === undefined) {
        others.push(item);
        if (rules === 'closed') this.reportForeign(item, at);
        continue;
      }
      const position = this.slices.indexOf(found);
      if (isOrdered && position < last) this.reportOrder(item, found, this.slices[last], at);
      if (rules === 'openAtEnd' && others.length > 0) this.reportLate(item, found, at);
      last = Math.max(last, position);
      const list = members.get(found);
      if (list) list.push(item);
      else members.set(found, [item]);
    }
    for (const slice of this.slices) {
      const list = members.get(slice) ?? NONE;
      if (list.length + uncertain < slice.min) this.reportTooFew(slice, list.length, others, at);
      this.checkSlice(slice, list, at);
    }
  }

  private sliceOf(item: Item, at: ProfileRun): SliceCheck | 'uncertain' | undefined {
    if (this.byUrl) {
      const url = isJsonObject(item.value) ? item.value['url'] : undefined;
      return (typeof url === 'string' ? this.byUrl.get(url) : undefined) ?? this.defaultSlice;
    }
    let isUncertain = false;
    for (const slice of this.proper) {
      const answer = isIn(slice, item, at);
      if (answer === true) return slice;
      if (answer === undefined) isUncertain = true;
    }
    return isUncertain ? 'uncertain' : this.defaultSlice;
  }

  private labelOf({ name }: SliceCheck): string {
    return `the slice '${shorten(name)}' of ${this.element.path}`;
  }

  private reportTooFew(slice: SliceCheck, count: number, others: readonly Item[], at: ProfileRun): void {
    const found = count === 0 ? 'nothing' : `only ${count}`;
    const missing = `There is ${found} in ${this.labelOf(slice)}; at least ${slice.min} must be there (${this.origin.name})`;
    const sentence = missing + nearestFault(slice, others, at);
    at.report('profile', sentence.slice(0, LONGEST_SENTENCE), [this.element.name]);
  }

  private checkSlice(slice: SliceCheck, items: readonly Item[], at: ProfileRun): void {
    const { min, max } = slice;
    items.forEach((item, index) => {
      if (at.isOver) return;
      inItem(item, at, () => {
        if (index === max) {
          const allowed = max === 0 ? 'none is allowed' : `at most ${max} may be`;
          const found = items.length === 1 ? 'There is 1' : `There are ${items.length}`;
          at.report('profile', `${found} in ${this.labelOf(slice)}; ${allowed} (${this.origin.name})`);
        }
        runChecks(slice.checksOf(item.member), item, at);
      });
    });
    if (slice.slicing && (items.length > 0 || min > 0)) slice.slicing.run(items, at);
  }

  private reportForeign(item: Item, at: ProfileRun): void {
    inItem(item, at, () =>
      at.report(
        'profile',
        `This is in no slice of ${this.element.path}; there are ${shorten(this.names)}, and no others are allowed (${this.origin.name})`,
      ),
    );
  }

  private reportOrder(item: Item, slice: SliceCheck, before: SliceCheck | undefined, at: ProfileRun): void {
    inItem(item, at, () =>
      at.report(
        'profile',
        `This is in the slice '${shorten(slice.name)}', which must come before '${shorten(before?.name ?? '')}' (${this.origin.name})`,
      ),
    );
  }

  private reportLate(item: Item, slice: SliceCheck, at: ProfileRun): void {
    inItem(item, at, () =>
      at.report(
        'profile',
        `This is in the slice '${shorten(slice.name)}', but values in no slice must be at the end (${this.origin.name})`,
      ),
    );
  }
}

const NONE: readonly Item[] = [];

function isIn(slice: SliceCheck, item: Item, at: ProfileRun): boolean | undefined {
  if (slice.criteria.length === 0) {
    const checks = slice.checksOf(item.member);
    return at.faultOf(slice, item.value, (quiet) => runChecks(checks, item, quiet)) === '';
  }
  let answer: boolean | undefined = true;
  for (const criterion of slice.criteria) {
    const one = criterion.holds(item, at);
    if (one === false) return false;
    if (one === undefined) answer = undefined;
  }
  return answer;
}

/** Limit on the values outside a slice that are checked for the reason. */
const MAX_EXPLAINED = 20;
/** Limit on the characters of sentences that quote other sentences. */
const LONGEST_SENTENCE = 400;

/** Returns why a value of the right type for a slice does not meet its profile, as the end of a sentence. */
function nearestFault(slice: SliceCheck, others: readonly Item[], at: ProfileRun): string {
  for (const item of others.slice(0, MAX_EXPLAINED)) {
    for (const criterion of slice.criteria) {
      const fault = criterion.fault?.(item, at) ?? '';
      if (fault !== '')
        return `. ${item.index < 0 ? 'The value' : `The one at [${item.index}]`} does not fit: ${fault}`;
    }
  }
  return '';
}

function inItem({ member, index }: Item, at: ProfileRun, check: () => void): void {
  at.push(member.step);
  if (index >= 0) at.push(index);
  check();
  if (index >= 0) at.pop();
  at.pop();
}
