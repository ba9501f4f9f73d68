/** The statements, commands, settings and messages of docs/run/runbook.md, which must be those of the program. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createTestDatabase } from '../support/database';
import { withClient } from '../support/services';

const ROOT = path.resolve(__dirname, '../..');
const textOf = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const RUNBOOK = textOf('docs/run/runbook.md');
const PROGRAM = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => textOf(path.join('src', file)))
  .join('\n');

/** The texts between backquotes outside of blocks, each with its lines joined. */
const SPANS = Array.from(RUNBOOK.replace(/^```.*?^```/gms, '').matchAll(/`([^`]+)`/g), ([, span]) =>
  span!.replace(/\s+/g, ' '),
);

it('has SQL that PostgreSQL runs in a database of the server', async () => {
  const statements = Array.from(RUNBOOK.matchAll(/^```sql\n(.*?)^```/gms), ([, sql]) => sql!);
  expect(statements.length).toBeGreaterThan(8);
  const database = await createTestDatabase();
  try {
    await withClient(database.settings, async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  } finally {
    await database.drop();
  }
});

it('quotes only messages that the server writes', () => {
  const isCommand = (span: string): boolean => /^(?:andiron|alter|ss|GET|Retry-After:) /.test(span);
  const messages = SPANS.filter((span) => /^(?:: )?[A-Za-z][\w,':() ]+$/.test(span))
    .filter((span) => span.split(' ').length > 2 && !isCommand(span))
    .concat(SPANS.filter((span) => /[;:] /.test(span) && !isCommand(span) && !/[{=|]/.test(span)));
  expect(messages.length).toBeGreaterThan(25);
  const plain = PROGRAM.replaceAll("\\'", "'");
  expect([...new Set(messages)].filter((message) => !plain.includes(message))).toEqual([]);
});

it('names only commands and settings that exist', () => {
  const settings = textOf('src/config/table.ts');
  const named = SPANS.flatMap((span) => span.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? []);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => name !== 'NODE_OPTIONS' && !settings.includes(`'${name}'`))).toEqual([]);
  const commands = Array.from(
    RUNBOOK.matchAll(/^andiron ([a-z-]+)|`andiron ([a-z-]+)/gm),
    (found) => found[1] ?? found[2]!,
  );
  const files = readdirSync(path.join(ROOT, 'src/cli/commands'));
  expect(commands.length).toBeGreaterThan(8);
  expect(commands.filter((command) => !files.includes(`${command}.ts`))).toEqual([]);
});
