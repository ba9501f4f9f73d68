import type { ParseArgsConfig } from 'node:util';

/** The arguments after the command. */
export interface Arguments {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

/** One command of `andiron`: one file in this folder and one line in the list of cli.ts. */
export interface Command {
  readonly name: string;
  /** The arguments, such as `create|list|disable NAME`. */
  readonly usage: string;
  /** One sentence. */
  readonly summary: string;
  readonly options?: Readonly<Record<string, { readonly type: 'string' | 'boolean'; readonly help: string }>>;
  /** Resolves when the command is done; one that keeps running resolves when it has started. */
  run(given: Arguments): Promise<void>;
}

/** A user error, printed as one line without a stack. */
export class UsageError extends Error {}

export function toParseOptions(command: Command): NonNullable<ParseArgsConfig['options']> {
  const options = Object.entries(command.options ?? {});
  return Object.fromEntries(options.map(([name, { type }]) => [name, { type }]));
}
