/**
 * A large code system in a few arrays: it takes as much memory as its text and some 30 bytes for each concept, and is
 * passed between threads without a copy. A concept is parsed when it is used, and a code is found in some 20 steps.
 */
import { type JsonObject, parseStoredObject, stringifyJson } from '../json';
import { type CodeSystem, type Concept } from './code-system';
import { codeKey } from './read-code-system';
import { stringMember } from './members';

/** Plain values, so that a thread can post it. Lists of lists are flat: list n ends at `ends[n]`. */
export interface CompactCodeSystem {
  readonly url: string;
  readonly version: string | undefined;
  readonly content: string;
  /** The resource without its concepts, as JSON text. */
  readonly head: string;
  readonly propertyCodes: readonly string[];
  readonly isHierarchical: boolean;
  /** The element of each concept without its children, as JSON text in UTF-8. */
  readonly texts: Uint8Array<ArrayBuffer>;
  readonly textEnds: Uint32Array<ArrayBuffer>;
  /** ABSTRACT and INACTIVE of each concept. */
  readonly flags: Uint8Array<ArrayBuffer>;
  /** Numbers of concepts. */
  readonly parents: Uint32Array<ArrayBuffer>;
  readonly parentEnds: Uint32Array<ArrayBuffer>;
  readonly children: Uint32Array<ArrayBuffer>;
  readonly childEnds: Uint32Array<ArrayBuffer>;
  /** Numbers of all concepts in the order of their keys. */
  readonly byKey: Uint32Array<ArrayBuffer>;
}

const ABSTRACT = 1;
const INACTIVE = 2;

/** Converts a code system whose concepts can be listed. Cost: about 3 ms for 1,000 concepts. */
export function toCompact(codeSystem: CodeSystem): CompactCodeSystem {
  const concepts = [...(codeSystem.concepts ?? [])];
  const { concept: _concepts, ...head } = codeSystem.head;
  const numbers = new Map(concepts.map(({ code }, number) => [code, number]));
  const numbersOf = (related: readonly Concept[]): number[] =>
    related.flatMap(({ code }) => numbers.get(code) ?? []);
  const texts = concepts.map(({ element: { concept: _children, ...element } }) =>
    Buffer.from(stringifyJson(element, true)),
  );
  const parents = concepts.map((each) => numbersOf(each.parents));
  const children = concepts.map((each) => numbersOf(each.children));
  return {
    url: codeSystem.url,
    version: codeSystem.version,
    content: codeSystem.content,
    head: stringifyJson(head, true),
    propertyCodes: [...codeSystem.propertyCodes],
    isHierarchical: codeSystem.isHierarchical,
    texts: concatenate(texts),
    textEnds: endsOf(texts),
    flags: Uint8Array.from(
      concepts,
      (each) => (each.isAbstract ? ABSTRACT : 0) | (each.isInactive ? INACTIVE : 0),
    ),
    parents: Uint32Array.from(parents.flat()),
    parentEnds: endsOf(parents),
    children: Uint32Array.from(children.flat()),
    childEnds: endsOf(children),
    byKey: sortByKey(concepts.map(({ code }) => code).map(codeKey(codeSystem.head))),
  };
}

/** Returns the memory of a compact code system in bytes. */
export function bytesOf(compact: CompactCodeSystem): number {
  return compact.head.length + arraysOf(compact).reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** Returns its arrays, whose memory can be transferred. */
export function arraysOf(
  compact: CompactCodeSystem,
): readonly (Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>)[] {
  const { texts, textEnds, flags, parents, parentEnds, children, childEnds, byKey } = compact;
  return [texts, textEnds, flags, parents, parentEnds, children, childEnds, byKey];
}

/** Returns the code system of a compact form. Cost: none. */
export function fromCompact(compact: CompactCodeSystem): CodeSystem {
  const head = parseStoredObject(compact.head);
  const keyOf = codeKey(head);
  const texts = Buffer.from(compact.texts.buffer, compact.texts.byteOffset, compact.texts.byteLength);
  const toConcept = (number: number): Concept => new CompactConcept(compact, texts, number);
  const count = compact.flags.length;
  return {
    url: compact.url,
    version: compact.version,
    content: compact.content,
    head,
    isBuiltIn: false,
    concepts: {
      *[Symbol.iterator]() {
        for (let number = 0; number < count; number++) yield toConcept(number);
      },
    },
    conceptCount: count,
    isHierarchical: compact.isHierarchical,
    propertyCodes: new Set(compact.propertyCodes),
    find(code) {
      const key = keyOf(code);
      const { byKey } = compact;
      for (let [start, end] = [0, byKey.length]; start < end;) {
        const middle = (start + end) >>> 1;
        const concept = toConcept(byKey[middle] ?? 0);
        const found = keyOf(concept.code);
        if (found === key) return concept;
        if (found < key) start = middle + 1;
        else end = middle;
      }
      return undefined;
    },
  };
}

class CompactConcept implements Concept {
  private parsed: JsonObject | undefined;

  constructor(
    private readonly compact: CompactCodeSystem,
    private readonly texts: Buffer,
    private readonly number: number,
  ) {}

  get element(): JsonObject {
    return (this.parsed ??= parseStoredObject(
      this.texts.toString('utf8', ...rangeOf(this.compact.textEnds, this.number)),
    ));
  }

  get code(): string {
    return stringMember(this.element, 'code') ?? '';
  }

  get display(): string | undefined {
    return stringMember(this.element, 'display');
  }

  get parents(): readonly Concept[] {
    return this.related(this.compact.parents, this.compact.parentEnds);
  }

  get children(): readonly Concept[] {
    return this.related(this.compact.children, this.compact.childEnds);
  }

  get isAbstract(): boolean {
    return ((this.compact.flags[this.number] ?? 0) & ABSTRACT) !== 0;
  }

  get isInactive(): boolean {
    return ((this.compact.flags[this.number] ?? 0) & INACTIVE) !== 0;
  }

  private related(numbers: Uint32Array, ends: Uint32Array): readonly Concept[] {
    return Array.from(
      numbers.subarray(...rangeOf(ends, this.number)),
      (number) => new CompactConcept(this.compact, this.texts, number),
    );
  }
}

function rangeOf(ends: Uint32Array, number: number): [start: number, end: number] {
  return [number === 0 ? 0 : (ends[number - 1] ?? 0), ends[number] ?? 0];
}

function endsOf(lists: readonly { readonly length: number }[]): Uint32Array<ArrayBuffer> {
  let end = 0;
  return Uint32Array.from(lists, ({ length }) => (end += length));
}

/** `Buffer.concat` may return a part of a pool, which cannot be transferred. */
function concatenate(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let place = 0;
  for (const part of parts) {
    joined.set(part, place);
    place += part.length;
  }
  return joined;
}

function sortByKey(keys: readonly string[]): Uint32Array<ArrayBuffer> {
  const order = keys.map((key, number) => ({ key, number }));
  order.sort((one, other) => (one.key < other.key ? -1 : 1));
  return Uint32Array.from(order, ({ number }) => number);
}
