import { Client } from 'pg';

/** Statements that read nothing: they share a packet with another statement, or no request waits for them. */
const AROUND = /^\s*(?:begin|commit|rollback|set |select set_config\('andiron\.space')/i;
/** Tables with a tenant's data, which no background statement of servers names. */
const READS = /"?andiron"?\."?(?:resource|resource_version|space|[a-z]+_index)\b/;
/**
 * The look-up of the tenant, which is cached for some seconds, and the check of row-level security on a new
 * connection.
 */
const ASIDE = /from andiron\.tenant|row_security_active/;

/**
 * The statements that the servers of this process send to PostgreSQL while `work` goes on, as pg is given them: whatever
 * they count themselves.
 */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = [];
  const watching = jest.spyOn(Client.prototype, 'query');
  try {
    await work();
    for (const [config] of watching.mock.calls as readonly (readonly unknown[])[]) {
      const text = textOf(config);
      if (!AROUND.test(text) && READS.test(text) && !ASIDE.test(text)) sent.push(text);
    }
  } finally {
    watching.mockRestore();
  }
  return sent;
}

function textOf(config: unknown): string {
  if (typeof config === 'string') return config;
  if (typeof config === 'object' && config !== null && 'text' in config) return String(config.text);
  throw new Error('pg was asked in another way');
}
