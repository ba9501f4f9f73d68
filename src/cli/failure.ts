import { ConfigurationError } from '../config';
import { UsageError } from './command';
import { withSources } from '../config/setting-sources';
import { ReportedFailure } from '../workers/reported-failure';

/** The lines that a failed command prints: one per fault, never a stack. */
export function toLines(error: unknown): readonly string[] {
  if (error instanceof ConfigurationError) return error.faults.map(withSources);
  if (error instanceof ReportedFailure) return [];
  if (error instanceof AggregateError) return error.errors.flatMap(toLines);
  return [error instanceof Error ? error.message : 'Failed for an unknown reason'];
}

/** Prints the reason; returns the code to end with: 2 for a wrong command line, else 1. */
export function reportFailure(error: unknown): number {
  for (const line of toLines(error)) process.stderr.write(`andiron: ${line}\n`);
  return error instanceof UsageError ? 2 : 1;
}

/** Prints the reason and ends the process: with code 2 for a wrong command line, else 1. */
export function fail(error: unknown): never {
  process.exit(reportFailure(error));
}
