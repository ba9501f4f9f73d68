import { readFileSync } from 'node:fs';

/** The limits of this process from Linux's /proc; undefined on other systems. */
export function readProcessLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return undefined;
  }
}
