import type { Arguments, Options } from './command';

export const JSON_OPTION = {
  json: { type: 'boolean', help: 'print the result as one JSON document' },
} as const satisfies Options;

/** Prints the result of a command: one JSON document with --json, else lines for people. */
export function print(
  { options }: Pick<Arguments, 'options'>,
  document: object,
  lines: readonly string[],
): void {
  const text = options['json'] === true ? JSON.stringify(document) : lines.join('\n');
  if (text !== '') process.stdout.write(`${text}\n`);
}

/** Says beside the result what to look at. */
export function warn(line: string): void {
  process.stderr.write(`andiron: ${line}\n`);
}

/** As in the answers of the HTTP API. */
export function toInstant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
