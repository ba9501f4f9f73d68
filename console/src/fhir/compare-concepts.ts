/** What differs between the concepts of two versions of a code system. */
import type { ListedCode } from './terminology';

/** The concepts of a version, page by page, and how many they are. */
export type ConceptPages = AsyncIterable<{
  readonly codes: readonly ListedCode[];
  /** Undefined: not known. */
  readonly total: number | undefined;
}>;

export type Described = Pick<ListedCode, 'display' | 'isInactive'>;

export interface Difference {
  readonly code: string;
  /** Undefined: the concept was added. */
  readonly before: Described | undefined;
  /** Undefined: the concept was removed. */
  readonly after: Described | undefined;
}

export const DIFFERENCES = ['added', 'removed', 'changed'] as const;
export type DifferenceKind = (typeof DIFFERENCES)[number];

/** Of each kind: how many there are, and the first of them. */
export type Differences = Readonly<
  Record<DifferenceKind, { readonly count: number; readonly first: readonly Difference[] }>
>;

export interface ComparisonProgress {
  readonly done: number;
  readonly all: number;
}

/** Concepts of a version that the page holds. */
export const MOST_CONCEPTS = 500_000;
/** Differences of a kind that are listed. */
export const MOST_LISTED = 2_000;

/** Thrown where a version has more than `MOST_CONCEPTS`. */
export class TooManyConcepts extends Error {}

class List {
  count = 0;
  readonly first: Difference[] = [];

  add(difference: Difference): void {
    this.count++;
    if (this.first.length < MOST_LISTED) this.first.push(difference);
  }
}

/**
 * Compares codes, displays, and whether they are inactive. The one version is held while the other passes by, because a server
 * lists concepts in the order of their files. Throws `TooManyConcepts`.
 */
export async function compareConcepts(
  { before, after }: { readonly before: ConceptPages; readonly after: ConceptPages },
  onProgress: (progress: ComparisonProgress) => void,
): Promise<Differences> {
  const held = new Map<string, Described>();
  let done = 0;
  let all = 0;
  let ofBefore = 0;
  for await (const { codes, total = 0 } of before) {
    if (total > MOST_CONCEPTS || held.size > MOST_CONCEPTS) throw new TooManyConcepts();
    for (const { code, display, isInactive } of codes) held.set(code, { display, isInactive });
    done += codes.length;
    ofBefore = Math.max(total, done);
    // The other version is about as large.
    onProgress({ done, all: (all = 2 * ofBefore) });
  }
  const [added, removed, changed] = [new List(), new List(), new List()];
  let ofAfter = 0;
  for await (const { codes, total = 0 } of after) {
    if (total > MOST_CONCEPTS || ofAfter > MOST_CONCEPTS) throw new TooManyConcepts();
    for (const { code, display, isInactive } of codes) {
      const old = held.get(code);
      const next = { display, isInactive };
      if (old === undefined) added.add({ code, before: undefined, after: next });
      else if (old.display !== display || old.isInactive !== isInactive)
        changed.add({ code, before: old, after: next });
      held.delete(code);
    }
    done += codes.length;
    ofAfter += codes.length;
    onProgress({ done, all: (all = ofBefore + Math.max(total, ofAfter)) });
  }
  for (const [code, before] of held) removed.add({ code, before, after: undefined });
  onProgress({ done, all });
  return { added, removed, changed };
}
