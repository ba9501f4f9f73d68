import { ConfigurationError } from '../config';
import { UsageError } from './command';
import { withSources } from './setting-sources';

/** The lines that a failed command prints: one per fault, never a stack. */
export function toLines(error: unknown): readonly string[] {
  if (error instanceof ConfigurationError) return error.faults.map(withSources);
  if (error instanceof AggregateError) return error.errors.flatMap(toLines);
  return [error instanceof Error ? error.message : 'Failed for an unknown reason'];
}

/** Prints the reason and ends the process: with code 2 for a wrong command line, else 1. */
export function fail(error: unknown): never {
  for (const line of toLines(error)) process.stderr.write(`andiron: ${line}\n`);
  process.exit(error instanceof UsageError ? 2 : 1);
}
