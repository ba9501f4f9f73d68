import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Space } from '../place';
import { isTriable, runBatch, type Job, type Progress, type Run } from './run-batch';

const NOTHING: Progress = { done: 0, faults: [], failed: new Set(), warnings: [] };

export interface BatchRun {
  /** The last run; undefined: none has begun. */
  readonly run: Run | undefined;
  /** Begins a run; resolves with its progress when it has come to its end, and with undefined otherwise. */
  readonly start: (job: Job) => Promise<Progress | undefined>;
  readonly cancel: () => void;
}

/** Runs batches for a screen, which stops them when it is left. */
export function useBatchRun(space: Space): BatchRun {
  const queries = useQueryClient();
  const [run, setRun] = useState<Run>();
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const start = async (job: Job): Promise<Progress | undefined> => {
    const { purpose, planned } = job;
    const { signal } = (running.current = new AbortController());
    const all = purpose === 'try' ? planned.filter(isTriable).length : planned.length;
    let progress = NOTHING;
    const show = (end: Run['end']): void => setRun({ purpose, all, progress, end });
    const onProgress = (next: Progress): void => {
      progress = next;
      show('running');
    };
    show('running');
    try {
      await runBatch(space, job, { signal, onProgress });
      show('done');
      return progress;
    } catch (error) {
      show(signal.aborted ? 'stopped' : error instanceof Error ? error : new Error(String(error)));
      return undefined;
    } finally {
      // What other screens have read may have changed.
      if (purpose === 'send')
        void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'file' });
    }
  };
  return { run, start, cancel: () => running.current?.abort() };
}
