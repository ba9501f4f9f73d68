/** The SQL that has run in the workers of a test run and in the servers that they share. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { tablesLockedOverSpaces, tablesWithoutSpace } from './space-rule';

const RECORDER = path.resolve(__dirname, 'record-statements.cjs');
/** Names the file of the run. */
const VARIABLE = 'ANDIRON_STATEMENTS';

/** What Node.js gets so that a server is recorded; nothing in runs that record nothing. */
export function recorder(): {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
} {
  const file = process.env[VARIABLE];
  return file === undefined
    ? { args: [], environment: {} }
    : { args: ['--require', RECORDER], environment: { [VARIABLE]: file } };
}

/** Begins the record of a run; the returned function ends it, and throws where a statement breaks a rule about spaces. */
export function recordStatements(): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), 'andiron-statements-'));
  const file = path.join(folder, 'statements');
  process.env[VARIABLE] = file;
  return () => {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
    rmSync(folder, { recursive: true });
    const broken = [...new Set(lines)].flatMap((line) => {
      const [text, isOfApplication] = JSON.parse(line) as [string, boolean];
      const tables = isOfApplication ? tablesWithoutSpace(text) : tablesLockedOverSpaces(text);
      return tables.length === 0 ? [] : [`${tables.join(', ')} in: ${text}`];
    });
    if (broken.length > 0)
      throw new Error(`Tables that a statement compares with no bound space:\n${broken.join('\n')}`);
  };
}
