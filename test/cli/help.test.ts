import { ANDIRON } from '../../src/cli/commands';
import { commandsOf, helpOf, helpOfAll } from '../../src/cli/help';
import { findCommand } from '../../src/cli/parse';

const ALL = commandsOf('andiron', ANDIRON);

function helpFor(line: string): string {
  const { path, command, wantsHelp } = findCommand(ANDIRON, line.split(' '));
  expect(wantsHelp).toBe(true);
  return helpOf(path, command);
}

describe.each(ALL)('$path', ({ path, command }) => {
  it('shows its usage, its options in columns, and an example of itself', () => {
    const help = helpFor(`${path.slice('andiron '.length)} --help`);
    expect(help.startsWith(`${path}${command.usage === '' ? '' : ` ${command.usage}`}`)).toBe(true);
    const options = /\nOptions:\n([^]*?)\n\n/.exec(help)?.[1]?.split('\n') ?? [];
    expect(options).toHaveLength(Object.keys(command.options ?? {}).length);
    const starts = options.map((line) => /^ {2}--\S+(?: [A-Z|a-z0-9_-]+)? {2,}/.exec(line)?.[0].length);
    expect([...new Set(starts)]).toHaveLength(Math.min(1, options.length));
    expect(command.examples.length).toBeGreaterThan(0);
    for (const { line, does } of command.examples) {
      expect(`${line} `).toContain(`${path} `);
      // As it is typed in a clone, where the program is on no path.
      const typed = line.replace('andiron ', 'npx --no-install andiron ');
      expect(help).toContain(`\n  ${typed}\n      ${does}\n`);
    }
  });

  it('says in whole sentences what it and its examples do', () => {
    for (const text of [command.summary, ...command.examples.map(({ does }) => does)])
      expect(text).toMatch(/^[A-Z][^\n]*[.]$/);
  });
});

it('the help of a command with sub-commands lists them, each with an example', () => {
  const help = helpFor('tenant --help');
  expect(help).toContain('\n  create [NAME …] [SETTING=VALUE …]  Create tenants');
  expect(help).toContain('\n  npx --no-install andiron tenant create acme\n');
  expect(helpFor('client -h')).toContain('\n  secret add CLIENT_ID ');
});

it('the help of a sub-command is about it alone, and andiron help shows the same', () => {
  const help = helpFor('tenant create --help');
  expect(help).not.toContain('andiron tenant delete');
  expect(helpFor('help tenant create')).toBe(help);
  expect(helpFor('tenant create acme --help')).toBe(help);
});

it('the help of andiron lists all commands', () => {
  const help = helpOfAll(ANDIRON);
  for (const { name } of ANDIRON.commands) expect(help).toMatch(new RegExp(`^ {2}${name} +`, 'm'));
  for (const { summary } of ANDIRON.commands) expect(help).toContain(summary);
  expect(findCommand(ANDIRON, ['help'])).toMatchObject({ command: ANDIRON, wantsHelp: true });
});
