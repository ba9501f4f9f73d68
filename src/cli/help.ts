/** The texts of `andiron --help` and of each command's `--help`. */
import type { AnyCommand, Command, CommandGroup, Example, Options } from './command';

/** `path`: the words of the command line up to the command, such as `andiron tenant create`. */
export function helpOf(path: string, command: AnyCommand): string {
  return 'commands' in command ? helpOfGroup(path, command) : helpOfCommand(path, command);
}

/** `andiron tenant create NAME [SETTING=VALUE …] [options]` */
export function usageOf(path: string, { usage, options = {} }: Command): string {
  const all = Object.entries(options);
  const required = all.filter(([, option]) => option.isRequired === true).map(toWords);
  const hasMore = required.length < all.length;
  return [path, ...(usage === '' ? [] : [usage]), ...required, ...(hasMore ? ['[options]'] : [])].join(' ');
}

function helpOfCommand(path: string, command: Command): string {
  const options = optionLines(command.options ?? {});
  return [
    usageOf(path, command),
    `  ${command.summary}`,
    ...(options.length === 0 ? [] : ['', 'Options:', ...options]),
    '',
    'Examples:',
    ...exampleLines(command.examples),
    '',
  ].join('\n');
}

/** With an example of each of its commands. */
function helpOfGroup(path: string, group: CommandGroup): string {
  const all = commandsOf(path, group);
  const rows = all.map(({ path: full, command }): readonly [string, string] => [
    [full.slice(path.length + 1), command.usage].join(' ').trim(),
    command.summary,
  ]);
  return [
    `${path} COMMAND [options]`,
    `  ${group.summary}`,
    '',
    'Commands:',
    ...columns(rows),
    '',
    `${path} COMMAND --help shows the options of one.`,
    '',
    'Examples:',
    ...exampleLines(all.flatMap(({ command }) => command.examples.slice(0, 1))),
    '',
  ].join('\n');
}

export function helpOfAll({ commands }: CommandGroup): string {
  const rows = commands.map(({ name, summary }): readonly [string, string] => [name, summary]);
  return [
    'andiron COMMAND',
    '',
    ...columns(rows),
    '',
    'andiron COMMAND --help shows the options of a command, with examples; andiron --version shows the version.',
    'Settings come from the environment and .env. If they name no database, commands use a running quick start.',
    'The exit code is 0, 1 after a failure, or 2 for a wrong command line.',
    '',
  ].join('\n');
}

/** All commands below a group, each with its words. */
export function commandsOf(
  path: string,
  { commands }: CommandGroup,
): readonly { readonly path: string; readonly command: Command }[] {
  return commands.flatMap((each) => {
    const full = `${path} ${each.name}`;
    return 'commands' in each ? commandsOf(full, each) : [{ path: full, command: each }];
  });
}

function optionLines(options: Options): readonly string[] {
  return columns(
    Object.entries(options).map(([name, option]) => [
      toWords([name, option]),
      `${option.help}${option.isRequired === true ? ' (required)' : ''}`,
    ]),
  );
}

function toWords([name, { type, value }]: readonly [string, Options[string]]): string {
  return type === 'boolean' ? `--${name}` : `--${name} ${value ?? 'VALUE'}`;
}

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

/**
 * The line of an example as a person types it. `andiron` is on the path neither in a clone nor where the package is a dependency; this
 * works in both.
 */
export function toTyped({ line }: Example): string {
  return line.replace(/\bandiron (?=[a-z])/, 'npx --no-install andiron ');
}

function exampleLines(examples: readonly Example[]): readonly string[] {
  return examples.flatMap((example) => [`  ${toTyped(example)}`, `      ${example.does}`]);
}
