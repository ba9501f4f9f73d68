/** The arguments after the command. */
export interface Arguments {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly help: string;
  /** The name of its value in the help, such as `NAME`. */
  readonly value?: string;
  readonly isRequired?: boolean;
}

export type Options = Readonly<Record<string, Option>>;

/** A command line that the help shows; a test runs all of them. */
export interface Example {
  /** `andiron tenant create acme` */
  readonly line: string;
  /** One sentence. */
  readonly does: string;
}

/** One command of `andiron`: one file in this folder and one line in commands.ts. */
export interface Command {
  readonly name: string;
  /** The words before the options, such as `NAME [SETTING=VALUE …]`: required, or optional in brackets. */
  readonly usage: string;
  /** One sentence. */
  readonly summary: string;
  readonly options?: Options;
  readonly examples: readonly Example[];
  /** Resolves when the command is done; one that keeps running resolves when it has started. */
  run(given: Arguments): Promise<void>;
}

/** A command with sub-commands, such as `andiron tenant create`. */
export interface CommandGroup {
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  readonly commands: readonly AnyCommand[];
}

export type AnyCommand = Command | CommandGroup;

/** A wrong command line: printed as one line without a stack, with exit code 2. */
export class UsageError extends Error {}
