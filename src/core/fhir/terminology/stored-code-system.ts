/**
 * A code system whose concepts are in tables. Rules on codes are written for concepts at hand, so they are applied by `withConcepts`:
 * a concept that is not there yet is noted, all that were noted are read by one statement, and the rule is applied again.
 */
import { fhirError } from '../../errors';
import { type JsonObject, parseStoredObject } from '../json';
import { type CodeSystem, type Concept } from './code-system';
import type { ConceptRow, ConceptSet, ConceptStorage } from './concept-set';
import { objectsMember, stringMember } from './members';
import { codeKey } from './read-code-system';

/** Reads of one evaluation: a hierarchy that is walked up takes one for each level. */
const MAX_ROUNDS = 100;
/** Concepts of one evaluation. */
const MAX_CONCEPTS = 20_000;
/** Children of one concept. */
const MAX_CHILDREN = 5_000;

/** The concepts of one evaluation, by set and folded code; undefined: the set does not have it. */
class ConceptsAtHand {
  private readonly found = new Map<string, ConceptRow | undefined>();
  private readonly children = new Map<string, readonly ConceptRow[]>();
  private readonly wanted = new Map<number, Set<string>>();
  private readonly wantedChildren = new Map<number, Set<string>>();

  find(set: number, folded: string): ConceptRow | undefined {
    const key = `${set} ${folded}`;
    if (!this.found.has(key)) note(this.wanted, set, folded);
    return this.found.get(key);
  }

  childrenOf(set: number, folded: string): readonly ConceptRow[] {
    const found = this.children.get(`${set} ${folded}`);
    if (found === undefined) note(this.wantedChildren, set, folded);
    return found ?? [];
  }

  add(set: number, rows: readonly ConceptRow[]): void {
    for (const row of rows) this.found.set(`${set} ${row.folded}`, row);
  }

  get isComplete(): boolean {
    return this.wanted.size === 0 && this.wantedChildren.size === 0;
  }

  async read(storage: ConceptStorage): Promise<void> {
    for (const [set, codes] of this.wanted) {
      for (const folded of codes) this.found.set(`${set} ${folded}`, undefined);
      if (this.found.size > MAX_CONCEPTS) throw tooMany(MAX_CONCEPTS);
      this.add(set, await storage.readConcepts(set, [...codes]));
    }
    for (const [set, codes] of this.wantedChildren) {
      for (const folded of codes) {
        const criteria = { keys: [{ property: 'parent', value: folded }], words: [] };
        const numbers = await storage.findConcepts(set, criteria, MAX_CHILDREN + 1);
        if (numbers.length > MAX_CHILDREN) throw tooMany(MAX_CHILDREN);
        const rows = await storage.listConcepts(set, numbers);
        this.children.set(`${set} ${folded}`, rows);
        this.add(set, rows);
      }
    }
    this.wanted.clear();
    this.wantedChildren.clear();
  }
}

function note(wanted: Map<number, Set<string>>, set: number, folded: string): void {
  const codes = wanted.get(set);
  if (codes === undefined) wanted.set(set, new Set([folded]));
  else codes.add(folded);
}

function tooMany(limit: number): Error {
  return fhirError('tooCostly', { reason: `It takes more than ${limit} concepts of a large code system` });
}

/** Those of the evaluation that runs; an evaluation does not wait, so that there is only one at a time. */
let atHand: ConceptsAtHand | undefined;

function conceptsAtHand(): ConceptsAtHand {
  if (atHand === undefined) throw new Error('Concepts of a stored code system are used by withConcepts');
  return atHand;
}

/**
 * Returns the result of `evaluate`, which is repeated until all concepts that it uses are read; what it changes outside must bear that.
 * `rows`: concepts of a set that are read already. Throws `tooCostly` for too many concepts, and as `evaluate`. Cost: none without
 * stored code systems, else one statement for each set, or for each level of a hierarchy that is walked.
 */
export async function withConcepts<T>(
  storage: ConceptStorage | undefined,
  evaluate: () => T,
  { set, rows }: { readonly set: number; readonly rows: readonly ConceptRow[] } = { set: 0, rows: [] },
): Promise<T> {
  const concepts = new ConceptsAtHand();
  concepts.add(set, rows);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const outcome = attempt(concepts, evaluate);
    if (concepts.isComplete) {
      if ('error' in outcome) throw outcome.error;
      return outcome.value;
    }
    if (storage === undefined) throw new Error('There is no storage of concepts here');
    await concepts.read(storage);
  }
  throw tooMany(MAX_ROUNDS);
}

function attempt<T>(
  concepts: ConceptsAtHand,
  evaluate: () => T,
): { readonly value: T } | { readonly error: unknown } {
  atHand = concepts;
  try {
    return { value: evaluate() };
  } catch (error) {
    return { error };
  } finally {
    atHand = undefined;
  }
}

/** Returns the code system of a resource and the set that it names. */
export function storedCodeSystem(head: JsonObject, set: ConceptSet): CodeSystem {
  const fold = codeKey(head);
  const conceptOf = (row: ConceptRow): Concept => new StoredConcept(set.number, row);
  const codesOf = (name: string): readonly string[] =>
    objectsMember(head, name).flatMap((each) => stringMember(each, 'code') ?? []);
  return {
    url: stringMember(head, 'url') ?? '',
    version: stringMember(head, 'version'),
    content: stringMember(head, 'content') ?? 'complete',
    head,
    isBuiltIn: false,
    concepts: undefined,
    conceptCount: 0,
    isHierarchical: set.isHierarchical,
    propertyCodes: new Set([...codesOf('property'), ...codesOf('filter')]),
    stored: { set, fold, conceptOf },
    find(code) {
      const row = conceptsAtHand().find(set.number, fold(code));
      return row && conceptOf(row);
    },
  };
}

class StoredConcept implements Concept {
  private parsed: JsonObject | undefined;

  constructor(
    private readonly set: number,
    readonly row: ConceptRow,
  ) {}

  get element(): JsonObject {
    return (this.parsed ??= parseStoredObject(this.row.element));
  }

  get code(): string {
    return stringMember(this.element, 'code') ?? '';
  }

  get display(): string | undefined {
    return stringMember(this.element, 'display');
  }

  get parents(): readonly Concept[] {
    return this.row.parents.flatMap((folded) => {
      const row = conceptsAtHand().find(this.set, folded);
      return row === undefined ? [] : [new StoredConcept(this.set, row)];
    });
  }

  get children(): readonly Concept[] {
    if (this.row.descendants === 0) return [];
    return conceptsAtHand()
      .childrenOf(this.set, this.row.folded)
      .map((row) => new StoredConcept(this.set, row));
  }

  get isAbstract(): boolean {
    return this.row.isAbstract;
  }

  get isInactive(): boolean {
    return this.row.isInactive;
  }

  get descendants(): number {
    return this.row.descendants;
  }

  isSelfOrBelow(ancestor: Concept): boolean {
    const own =
      ancestor instanceof StoredConcept && ancestor.set === this.set ? ancestor.row.keys[0] : undefined;
    return own !== undefined && this.row.keys.includes(own);
  }
}
