import { useEffect, useMemo, useState } from 'react';
import { doSlice, inSlices, type Steps } from '../api/slices';

/**
 * The result of work that can be long; undefined while it goes on. Short work is done at once. `work`: the same function as
 * long as it has the same result.
 */
export function useSliced<Value>(work: () => Steps<Value>): Value | undefined {
  const first = useMemo(() => doSlice(work()), [work]);
  const [late, setLate] = useState<{ readonly work: unknown; readonly value: Value }>();
  useEffect(() => {
    if (first !== undefined) return undefined;
    const ending = new AbortController();
    inSlices(work(), ending.signal).then(
      (value) => setLate({ work, value }),
      (error: unknown) => {
        if (ending.signal.aborted) return;
        // The boundary around the screen shows it.
        setLate(() => {
          throw error;
        });
      },
    );
    return () => ending.abort();
  }, [work, first]);
  if (first !== undefined) return first.value;
  return late?.work === work ? late.value : undefined;
}
