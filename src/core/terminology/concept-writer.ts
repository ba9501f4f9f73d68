import { turns } from '../concurrency/turns';
import { type JsonObject, stringifyJson } from '../fhir/json';
import { propertyValues } from '../fhir/terminology/code-system';
import { type ConceptKey, wordsOf } from '../fhir/terminology/concept-set';
import { objectsMember, stringMember } from '../fhir/terminology/members';
import type { Services } from '../ports';
import { foldCode } from '../search/rows/token';
import { keyText } from '../storage/read/version-row';
import { addConcepts, type NewConcept, type SetKey } from '../storage/terminology/concepts';
import type { ConceptGraph } from './concept-graph';
import { hashConceptKey, OF_SET } from './concept-storage';

/** Concepts that one statement stores. */
export const PORTION = 1_000;
/** Concepts that are made before others have their turn. */
const TURN = 50;
/** Limit on a word that is searched for. */
const LONGEST_WORD = 100;

/** A concept to store; its place among all follows from the order, and its hierarchy from the graph. */
export interface WrittenConcept {
  readonly folded: string;
  readonly isAbstract: boolean;
  readonly isInactive: boolean;
  /** The element of `CodeSystem.concept` without its children. */
  readonly element: JsonObject;
}

/** Stores the concepts of one set in portions, in the order in which they were added to the graph. */
export class ConceptWriter {
  count = 0;
  private portion: NewConcept[] = [];
  /** The key of each concept that others are found below, by its place. */
  private readonly ownKeys: string[] = [];

  constructor(
    private readonly services: Pick<Services, 'connections' | 'hasher'>,
    private readonly of: SetKey,
    private readonly graph: ConceptGraph,
  ) {}

  /** False: the set was removed meanwhile. Throws a RangeError for a concept whose place in the graph is another. */
  async add(concept: WrittenConcept): Promise<boolean> {
    this.portion.push(this.toConcept(concept));
    this.count++;
    if (this.count % TURN === 0) await turns.take();
    return this.portion.length < PORTION || this.flush();
  }

  /** Stores the last concepts. False: the set was removed meanwhile. */
  async flush(): Promise<boolean> {
    const { portion } = this;
    this.portion = [];
    return portion.length === 0 || addConcepts(this.services.connections, this.of, portion);
  }

  private toConcept({ folded, isAbstract, isInactive, element }: WrittenConcept): NewConcept {
    const { graph, services } = this;
    const place = graph.placeOf(folded);
    if (place === undefined || place !== this.count)
      throw new RangeError('the concepts are not those of the graph');
    const parents = Array.from(graph.parentsOf(place), (each) => graph.codeOf(each));
    const high = services.hasher.text(foldCode(stringMember(element, 'code') ?? ''));
    const token = keyText({ high, low: services.hasher.low });
    return {
      number: place + 1,
      ...{ folded, token, parents, isAbstract, isInactive },
      descendants: graph.descendantsOf(place),
      keys: [...this.keysOf(place, element, parents)],
      words: [...wordsOf(textsOf(element))].map((word) => word.slice(0, LONGEST_WORD)),
      element: stringifyJson(element, true),
    };
  }

  /** Returns the keys of a concept, its own first. */
  private keysOf(place: number, element: JsonObject, parents: readonly string[]): Set<string> {
    const keys = new Set([this.ownKey(place), this.hash(OF_SET)]);
    for (const above of this.graph.ancestorsOf(place)) keys.add(this.ownKey(above));
    for (const value of parents) keys.add(this.hash({ property: 'parent', value }));
    const names = new Set(
      objectsMember(element, 'property').flatMap((each) => stringMember(each, 'code') ?? []),
    );
    for (const property of names) {
      if (property === 'parent') continue;
      for (const value of propertyValues(element, property)) keys.add(this.hash({ property, value }));
    }
    return keys;
  }

  private ownKey(place: number): string {
    return (this.ownKeys[place] ??= this.hash({ below: this.graph.codeOf(place) }));
  }

  private hash(key: ConceptKey): string {
    return hashConceptKey(this.services.hasher, this.of.space, this.of.set, key);
  }
}

/** The texts of a concept that people search. */
function textsOf(element: JsonObject): readonly string[] {
  const designations = objectsMember(element, 'designation').map((each) => stringMember(each, 'value'));
  return [stringMember(element, 'code'), stringMember(element, 'display'), ...designations].filter(
    (text) => text !== undefined,
  );
}
