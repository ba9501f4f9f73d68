/** The hierarchy of a large code system while it is imported: some 100 bytes for each concept. */
import { fhirError } from '../errors';
import type { JsonObject } from '../fhir/json';
import { choiceMember, objectsMember, stringMember } from '../fhir/terminology/members';
import { codeKey, declareProperties } from '../fhir/terminology/read-code-system';

export class ConceptGraph {
  readonly propertyCodes = new Set<string>();
  /** The `value[x]` that a property has, by its code. */
  readonly valueMembers = new Map<string, string>();
  /** Meanings of properties by their codes, as `declareProperties` returns them. */
  readonly meanings: ReadonlyMap<string, string>;
  readonly fold: (code: string) => string;
  /** The number of a concept among all, by its folded code. */
  private readonly numbers = new Map<string, number>();
  private readonly codes: string[] = [];
  /** Codes of parents and children that the concepts name, until `close`. */
  private named: (readonly [parent: string, child: string])[] = [];
  private parents: readonly (readonly number[])[] = [];
  private below = new Uint32Array();

  constructor(head: JsonObject) {
    this.fold = codeKey(head);
    this.meanings = declareProperties(head, this.propertyCodes);
  }

  get size(): number {
    return this.codes.length;
  }

  get isHierarchical(): boolean {
    return this.parents.some(({ length }) => length > 0);
  }

  /** Adds a concept. Throws `ruleViolated` for one without a code, with concepts inside, or whose code was there. */
  add(element: JsonObject): void {
    const code = stringMember(element, 'code');
    const at = `concept ${this.codes.length + 1}`;
    if (code === undefined) throw refusal(`${at} has no code`);
    if (element['concept'] !== undefined)
      throw refusal(`the concept ${code} has concepts inside: name their parent by a property instead`);
    const folded = this.fold(code);
    if (this.numbers.has(folded)) throw refusal(`the code ${code} is there twice`);
    this.numbers.set(folded, this.codes.length);
    this.codes.push(folded);
    for (const property of objectsMember(element, 'property')) {
      const name = stringMember(property, 'code') ?? '';
      const value = choiceMember(property);
      if (value === undefined) continue;
      this.propertyCodes.add(name);
      if (!this.valueMembers.has(name)) this.valueMembers.set(name, value[0]);
      const meaning = this.meanings.get(name);
      if (typeof value[1] !== 'string' || (meaning !== 'parent' && meaning !== 'child')) continue;
      const other = this.fold(value[1]);
      this.named.push(meaning === 'parent' ? [other, folded] : [folded, other]);
    }
  }

  /** Connects the concepts once all are added, and counts those below each. Codes that no concept has are left out. */
  close(): void {
    const parents: number[][] = this.codes.map(() => []);
    for (const [parent, child] of this.named) {
      const [above, of] = [this.numbers.get(parent), this.numbers.get(child)];
      if (above === undefined || of === undefined || above === of) continue;
      const list = parents[of];
      if (list !== undefined && !list.includes(above)) list.push(above);
    }
    this.named = [];
    this.parents = parents;
    this.below = new Uint32Array(this.codes.length);
    for (let number = 0; number < this.codes.length; number++)
      for (const above of this.ancestorsOf(number)) this.below[above] = (this.below[above] ?? 0) + 1;
  }

  /** Returns the number of a code; undefined: no concept has it. */
  numberOf(folded: string): number | undefined {
    return this.numbers.get(folded);
  }

  codeOf(number: number): string {
    return this.codes[number] ?? '';
  }

  parentsOf(number: number): readonly number[] {
    return this.parents[number] ?? [];
  }

  descendantsOf(number: number): number {
    return this.below[number] ?? 0;
  }

  /** Returns the concepts above one, without itself. Tolerates cycles. */
  ancestorsOf(number: number): ReadonlySet<number> {
    const above = new Set<number>();
    // The iteration of a Set includes entries that are added meanwhile.
    for (const parent of this.parentsOf(number)) above.add(parent);
    for (const each of above) for (const parent of this.parentsOf(each)) above.add(parent);
    above.delete(number);
    return above;
  }
}

function refusal(reason: string): Error {
  return fhirError('ruleViolated', { reason: `The code system cannot be imported: ${reason}` });
}
