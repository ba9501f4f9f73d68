import { ConfigurationError } from '../config';

/** The lines that a failed command prints: one per fault, never a stack. */
export function toLines(error: unknown): readonly string[] {
  if (error instanceof ConfigurationError) return error.faults;
  if (error instanceof AggregateError) return error.errors.flatMap(toLines);
  if (!(error instanceof Error)) return ['Failed for an unknown reason'];
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return [`${error.message}: another program uses this port; choose another with PORT or --port`];
  return [error.message];
}

/** Prints the reason and ends the process with code 1. */
export function fail(error: unknown): never {
  for (const line of toLines(error)) process.stderr.write(`andiron: ${line}\n`);
  process.exit(1);
}
