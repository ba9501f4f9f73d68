/** Finds the command of a command line, and reads its words and options. */
import { parseArgs } from 'node:util';
import { closestName } from '../../packages/fhir-values/closest-name';
import { type AnyCommand, type Arguments, type Command, type CommandGroup, UsageError } from './command';
import { usageOf } from './help';

export interface FoundCommand {
  /** `andiron tenant create` */
  readonly path: string;
  readonly command: AnyCommand;
  /** The words and options after it. */
  readonly rest: readonly string[];
  readonly wantsHelp: boolean;
}

/**
 * Finds the command that `written` begins with. Without a word for a sub-command, or with --help, it is a group.
 * @throws UsageError for a command that does not exist
 */
export function findCommand(root: CommandGroup, written: readonly string[]): FoundCommand {
  let command: AnyCommand = root;
  let path = root.name;
  let rest = written[0] === 'help' ? [...written.slice(1), '--help'] : written;
  while ('commands' in command) {
    const [name, ...more]: readonly string[] = rest;
    if (name === undefined || isHelp(name)) break;
    const found: AnyCommand | undefined = command.commands.find((each) => each.name === name);
    if (found === undefined) throw unknownCommand(path, command, name);
    [command, path, rest] = [found, `${path} ${name}`, more];
  }
  const end = rest.indexOf('--');
  return { path, command, rest, wantsHelp: rest.slice(0, end < 0 ? undefined : end).some(isHelp) };
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}

function unknownCommand(path: string, { commands }: CommandGroup, name: string): UsageError {
  const names = commands.map((each) => each.name);
  const group = path === 'andiron' ? '' : ` of ${path}`;
  if (name.startsWith('-')) return wrong(path, `The command${group} comes before the option '${name}'`);
  return wrong(path, `'${name}' is not a command${group}`, closestName(name, names));
}

/** @throws UsageError for words or options that the command does not have, and for missing ones */
export function parseCommand(path: string, command: Command, written: readonly string[]): Arguments {
  const { options = {} } = command;
  // Not strict, because the messages of parseArgs name neither what was meant nor how to get help.
  const parsed = parseArgs({
    ...{ args: [...written], options, allowPositionals: true, strict: false, tokens: true },
  });
  const values = new Map<string, string | boolean>();
  for (const token of parsed.tokens) {
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (option === undefined) {
      const meant = closestName(token.name, Object.keys(options));
      const name = meant === undefined ? undefined : `--${meant}`;
      throw wrong(path, `'${token.rawName}' is not an option of ${path}`, name);
    }
    const isNext = token.inlineValue === false && token.value.startsWith('--');
    if (option.type === 'string' && (token.value === undefined || isNext))
      throw wrong(path, `${token.rawName} needs a value: ${option.help}`);
    if (option.type === 'boolean' && token.value !== undefined)
      throw wrong(path, `${token.rawName} takes no value`);
    values.set(token.name, token.value ?? true);
  }
  checkWords(path, command, parsed.positionals);
  for (const [name, { help, isRequired }] of Object.entries(options))
    if (isRequired === true && !values.has(name)) throw wrong(path, `--${name} is missing: ${help}`);
  return { words: parsed.positionals, options: Object.fromEntries(values) };
}

/** Compares the words with those of the usage: `NAME`, `[DISPLAY]`, `SETTING=VALUE …`. */
function checkWords(path: string, command: Command, words: readonly string[]): void {
  const expected = command.usage.match(/\[[^\]]*\]|\S+(?: …)?/g) ?? [];
  const missing = expected.slice(words.length).find((word) => !word.startsWith('['));
  if (missing !== undefined) throw wrong(path, `${missing} is missing: ${usageOf(path, command)}`);
  const extra = words[expected.length];
  if (extra !== undefined && expected.at(-1)?.includes('…') !== true)
    throw wrong(path, `'${extra}' is one word too many: ${usageOf(path, command)}`);
}

function wrong(path: string, fault: string, meant?: string): UsageError {
  const suggestion = meant === undefined ? '' : `; did you mean ${meant}?`;
  const end = meant === undefined ? '. ' : ' ';
  return new UsageError(`${fault}${suggestion}${end}See npx --no-install ${path} --help`);
}
