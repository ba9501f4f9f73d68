import { ANDIRON } from '../../src/cli/commands';
import { UsageError } from '../../src/cli/command';
import { findCommand, parseCommand } from '../../src/cli/parse';

function parse(...written: readonly string[]) {
  const { path, command, rest } = findCommand(ANDIRON, written);
  if ('commands' in command) throw new Error('It is a group');
  return parseCommand(path, command, rest);
}

it('words and options of a command are read in any order', () => {
  expect(parse('tenant', 'set', 'acme', '--json', 'validation=full', 'rate-limit=')).toEqual({
    words: ['acme', 'validation=full', 'rate-limit='],
    options: { json: true },
  });
  expect(parse('client', 'create', '--tenant=acme', '--name', '-x', '--scopes=--y')).toEqual({
    words: [],
    options: { tenant: 'acme', name: '-x', scopes: '--y' },
  });
  expect(parse('tenant', 'create', '--', '--help').words).toEqual(['--help']);
});

it.each([
  ['tenat list', "'tenat' is not a command; did you mean tenant? See npx --no-install andiron --help"],
  [
    'tenant lits',
    "'lits' is not a command of andiron tenant; did you mean list? See npx --no-install andiron tenant --help",
  ],
  ['sing', "'sing' is not a command. See npx --no-install andiron --help"],
  ['client --tenant acme list', "The command of andiron client comes before the option '--tenant'. See "],
  [
    'tenant list --jsn',
    "'--jsn' is not an option of andiron tenant list; did you mean --json? See npx --no-install andiron tenant list --help",
  ],
  [
    'tenant list -x',
    "'-x' is not an option of andiron tenant list. See npx --no-install andiron tenant list --help",
  ],
  ['tenant list --constructor', "'--constructor' is not an option of andiron tenant list. See "],
  ['tenant show', 'NAME is missing: andiron tenant show NAME [options]. See '],
  ['tenant set acme', 'SETTING=VALUE … is missing: andiron tenant set NAME SETTING=VALUE … [options]. See '],
  ['tenant show acme beta', "'beta' is one word too many: andiron tenant show NAME [options]. See "],
  ['client list', '--tenant is missing: name of the tenant. See npx --no-install andiron client list --help'],
  ['client list --tenant', '--tenant needs a value: name of the tenant. See '],
  ['client list --tenant --json', '--tenant needs a value: name of the tenant. See '],
  ['tenant list --json=yes', '--json takes no value. See '],
  ['client secret remove 1 --tenant acme', 'SECRET_ID is missing: andiron client secret remove CLIENT_ID '],
])('andiron %s is refused with what was meant and where the help is', (line, message) => {
  const error = (() => {
    try {
      return parse(...line.split(' '));
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(error).toBeInstanceOf(UsageError);
  expect(error instanceof Error && error.message).toMatch(/^[^\n]+ See npx --no-install andiron.* --help$/);
  expect(error instanceof Error && error.message.startsWith(message)).toBe(true);
});
