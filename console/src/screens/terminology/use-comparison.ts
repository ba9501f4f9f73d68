import { useEffect, useRef, useState } from 'react';
import { pagesOf, type SystemVersion } from '../../api/concepts';
import {
  compareConcepts,
  MOST_CONCEPTS,
  TooManyConcepts,
  type ComparisonProgress,
  type Differences,
} from '../../fhir/compare-concepts';
import type { Space } from '../../place';
import { texts } from '../../texts';

/** A comparison that goes on, or how it has ended. */
export type Comparison =
  | { readonly state: 'running'; readonly progress: ComparisonProgress }
  | { readonly state: 'done'; readonly differences: Differences }
  | { readonly state: 'stopped' }
  | { readonly state: 'failed'; readonly error: unknown };

interface Comparing {
  /** Undefined: none has begun. */
  readonly comparison: Comparison | undefined;
  readonly start: (before: SystemVersion, after: SystemVersion) => Promise<void>;
  readonly stop: () => void;
}

/** Compares versions for a screen, which stops it when it is left. */
export function useComparison(space: Space): Comparing {
  const [comparison, setComparison] = useState<Comparison>();
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const start = async (before: SystemVersion, after: SystemVersion): Promise<void> => {
    running.current?.abort();
    const { signal } = (running.current = new AbortController());
    const show = (next: Comparison): void => {
      if (running.current?.signal === signal) setComparison(next);
    };
    show({ state: 'running', progress: { done: 0, all: 0 } });
    try {
      const pages = { before: pagesOf(space, before, signal), after: pagesOf(space, after, signal) };
      const differences = await compareConcepts(pages, (progress) => show({ state: 'running', progress }));
      show({ state: 'done', differences });
    } catch (error) {
      if (signal.aborted) show({ state: 'stopped' });
      else if (error instanceof TooManyConcepts)
        show({
          state: 'failed',
          error: new Error(texts.terminology.tooMany(MOST_CONCEPTS.toLocaleString())),
        });
      else show({ state: 'failed', error });
    }
  };
  return { comparison, start, stop: () => running.current?.abort() };
}
