/**
 * The hierarchy of a large code system while it is imported: the codes, and numbers of four bytes in flat lists. **Memory**: some 100
 * bytes and the code for each concept, and 8 for each parent that it names.
 */
import { turns } from '../concurrency/turns';
import { fhirError } from '../errors';

/** Bytes of a code in UTF-8: the index of codes takes no longer ones. */
const LONGEST_CODE = 2_000;
/** Concepts above one: SNOMED CT has some 100. The index has a key for each of them. */
const MOST_ABOVE = 2_000;
/** What a code takes beside its characters, with the key by which others are found below it. */
const BYTES_OF_NAME = 200;
const BYTES_OF_PAIR = 16;
/** Steps of the hierarchy before others have their turn. */
const TURN = 5_000;

export class ConceptGraph {
  /** A number of each code that was named, in the order in which they were. */
  private readonly names = new Map<string, number>();
  /** By the number of a code: the place of its concept, or -1. */
  private readonly places = new NumberList();
  /** The codes by the places of their concepts. */
  private readonly codes: string[] = [];
  /** Pairs of parents and children by the numbers of their codes, until `close`. */
  private named = new NumberList();
  /** By place, where its parents begin in `parents`; one more at the end. */
  private starts: Int32Array = new Int32Array(1);
  private parents: Int32Array = new Int32Array();
  private below = new Uint32Array();
  private bytes = 0;

  /** @param mostBytes limit on the memory of all codes that are named */
  constructor(private readonly mostBytes = Infinity) {}

  get size(): number {
    return this.codes.length;
  }

  get isHierarchical(): boolean {
    return this.parents.length > 0;
  }

  /** Adds the concept of a folded code. Throws `ruleViolated` for a code that was there, and for one that is too long. */
  add(folded: string): void {
    const number = this.nameOf(folded);
    if (this.places.at(number) !== NO_PLACE) throw refusal(`the code ${folded} is there twice`);
    if (Buffer.byteLength(folded) > LONGEST_CODE)
      throw refusal(`the code ${folded.slice(0, 80)}… has more than ${LONGEST_CODE} bytes`);
    this.places.set(number, this.codes.length);
    this.codes.push(folded);
  }

  /** Notes that the concept of one folded code is above that of another; either may be added later. */
  connect(parent: string, child: string): void {
    this.count(BYTES_OF_PAIR);
    this.named.push(this.nameOf(parent));
    this.named.push(this.nameOf(child));
  }

  /**
   * Connects the concepts once all are added, and counts those below each. Codes that no concept has are left out. Throws
   * `ruleViolated` for a concept with more than 2,000 above it. Cost: some microseconds for each concept, in portions between which
   * others have their turn.
   */
  async close(): Promise<void> {
    const { named, size } = this;
    this.named = new NumberList();
    const starts = new Int32Array(size + 1);
    for (let at = 0; at < named.length; at += 2) {
      if (!this.isEdge(named, at)) continue;
      const child = this.places.at(named.at(at + 1));
      starts[child + 1] = (starts[child + 1] ?? 0) + 1;
    }
    for (let place = 0; place < size; place++)
      starts[place + 1] = (starts[place + 1] ?? 0) + (starts[place] ?? 0);
    const parents = new Int32Array(starts[size] ?? 0);
    const filled = starts.slice();
    for (let at = 0; at < named.length; at += 2) {
      if (!this.isEdge(named, at)) continue;
      const child = this.places.at(named.at(at + 1));
      const next = filled[child] ?? 0;
      parents[next] = this.places.at(named.at(at));
      filled[child] = next + 1;
    }
    [this.starts, this.parents] = withoutRepeated(starts, parents);
    this.below = new Uint32Array(size);
    for (let place = 0, steps = 0; place < size; place++) {
      for (const above of this.ancestorsOf(place)) {
        this.below[above] = (this.below[above] ?? 0) + 1;
        steps += 1;
      }
      if (++steps < TURN) continue;
      steps = 0;
      await turns.take();
    }
  }

  /** Returns the place of a concept among all; undefined: no concept has the code. */
  placeOf(folded: string): number | undefined {
    const place = this.places.at(this.names.get(folded) ?? -1);
    return place === NO_PLACE ? undefined : place;
  }

  codeOf(place: number): string {
    return this.codes[place] ?? '';
  }

  parentsOf(place: number): Int32Array {
    return this.parents.subarray(this.starts[place] ?? 0, this.starts[place + 1] ?? 0);
  }

  descendantsOf(place: number): number {
    return this.below[place] ?? 0;
  }

  /** Returns the concepts above one, without itself. Tolerates cycles. */
  ancestorsOf(place: number): ReadonlySet<number> {
    const above = new Set<number>(this.parentsOf(place));
    // The iteration of a Set includes entries that are added meanwhile.
    for (const each of above) {
      for (const parent of this.parentsOf(each)) above.add(parent);
      if (above.size > MOST_ABOVE)
        throw refusal(`more than ${MOST_ABOVE} concepts are above ${this.codeOf(place)}`);
    }
    above.delete(place);
    return above;
  }

  private nameOf(folded: string): number {
    let number = this.names.get(folded);
    if (number === undefined) {
      number = this.names.size;
      this.count(BYTES_OF_NAME + 2 * folded.length);
      this.names.set(folded, number);
      this.places.push(NO_PLACE);
    }
    return number;
  }

  private count(more: number): void {
    this.bytes += more;
    if (this.bytes > this.mostBytes)
      throw refusal('its codes and their hierarchy need more memory than an import of a client may take');
  }

  /** True if both concepts of a pair exist, and are not the same. */
  private isEdge(named: NumberList, at: number): boolean {
    const [parent, child] = [this.places.at(named.at(at)), this.places.at(named.at(at + 1))];
    return parent !== NO_PLACE && child !== NO_PLACE && parent !== child;
  }
}

const NO_PLACE = -1;

/** Leaves out what a portion of a list has twice. */
function withoutRepeated(starts: Int32Array, values: Int32Array): [starts: Int32Array, values: Int32Array] {
  const kept = new Int32Array(starts.length);
  let end = 0;
  for (let place = 0; place + 1 < starts.length; place++) {
    const portion = values.subarray(starts[place] ?? 0, starts[place + 1] ?? 0);
    const different = portion.length < 2 ? portion : Int32Array.from(new Set(portion));
    values.set(different, end);
    end += different.length;
    kept[place + 1] = end;
  }
  return [kept, values.slice(0, end)];
}

/** A list of whole numbers that grows, four bytes each. */
class NumberList {
  private items = new Int32Array(1_024);
  length = 0;

  at(index: number): number {
    return index < this.length ? (this.items[index] ?? NO_PLACE) : NO_PLACE;
  }

  set(index: number, value: number): void {
    this.items[index] = value;
  }

  push(value: number): void {
    if (this.length === this.items.length) {
      const larger = new Int32Array(2 * this.items.length);
      larger.set(this.items);
      this.items = larger;
    }
    this.items[this.length++] = value;
  }
}

/** Returns the error for concepts that make no code system. */
export function refusal(reason: string): Error {
  return fhirError('ruleViolated', { reason: `The code system cannot be imported: ${reason}` });
}
