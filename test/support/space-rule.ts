/**
 * The rule about spaces in SQL (docs/understand/storage.md): each table of tenants' data in a statement is compared with a bound
 * space or tenant, and with no column of another table. So a statement runs on the tables of one tenant, wherever they are.
 */
import { TENANT_TABLES } from '../../src/core/storage/schema/tenant-tables';

/** Leases and states of jobs: small tables of the installation, whose rows a statement may lock over all spaces. */
const OF_INSTALLATION = ['job', 'subscription_feed'];

const LOCKS_ROWS = /\bfor\s+(?:no\s+key\s+)?(?:update|share)\b|\bskip\s+locked\b/i;

/** A table in SQL, and the name by which the statement calls it. */
const REFERENCE =
  /\b(from|join|update|using)\s+(?:only\s+)?andiron\.(\w+)(?:\s+(?:as\s+)?(?!set\b|where\b|on\b|using\b|join\b|left\b|cross\b|order\b|limit\b|returning\b|group\b|union\b|values\b|for\b)(\w+))?/gi;

/** Returns the tables of a statement that are compared with no bound value. */
export function tablesWithoutSpace(statement: string): string[] {
  const text = statement.replaceAll('"', '');
  const comparisons = new Map<string, number>();
  for (const [, name = ''] of text.matchAll(/\b(?:(\w+)\.)?(?:space|tenant)\s*=\s*(?:any\s*\(\s*)?\$\d+/gi))
    comparisons.set(name, (comparisons.get(name) ?? 0) + 1);
  const missing: string[] = [];
  for (const [, , table = '', given] of text.matchAll(REFERENCE)) {
    if (!(table in TENANT_TABLES)) continue;
    const name = given ?? '';
    const left = comparisons.get(name) ?? 0;
    if (left === 0) missing.push(`${table} ${name}`.trim());
    else comparisons.set(name, left - 1);
  }
  return missing;
}

/** Returns the tables whose rows a statement may lock in several spaces, although they have contents of tenants. */
export function tablesLockedOverSpaces(statement: string): string[] {
  if (!LOCKS_ROWS.test(statement)) return [];
  return tablesWithoutSpace(statement).filter(
    (table) => !OF_INSTALLATION.includes(table.split(' ')[0] ?? ''),
  );
}
