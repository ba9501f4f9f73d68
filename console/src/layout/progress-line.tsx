/** A thin line above the screen while something loads, from the first moment. Screen readers hear it from what loads. */
import { useEffect, useSyncExternalStore } from 'react';
import classes from './progress-line.module.css';

let loading = 0;
const listeners = new Set<() => void>();

function add(count: number): void {
  loading += count;
  for (const notify of listeners) notify();
}

/** Shows the line while the component that calls it is there. */
export function useProgress(): void {
  useEffect(() => {
    add(1);
    return () => add(-1);
  }, []);
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify);
  return () => listeners.delete(notify);
}

export function ProgressLine() {
  const isLoading = useSyncExternalStore(subscribe, () => loading > 0);
  return isLoading ? <div className={classes['line']} aria-hidden /> : null;
}
