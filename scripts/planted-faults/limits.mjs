/** Outbound requests, rates, quotas, times, and the costs that they bound; signals that end a process. */
import { edit } from './edit.mjs';

const STATEMENT_TIMEOUT = 'test/core/storage/statement-timeout.test.ts';

export const LIMITS = [
  {
    name: 'the server calls the addresses of cloud metadata',
    edits: [edit('src/core/network/ip-address.ts', `'169.254.0.0/16', `, '')],
    tests: ['test/core/outbound-addresses.test.ts'],
  },
  {
    name: 'the server calls a name with a private address',
    edits: [
      edit(
        'src/core/outbound/exchange.ts',
        'isListed || destinations.mayCall(address, calling)',
        'isListed || address !== undefined',
      ),
    ],
    tests: ['test/core/outbound.test.ts'],
  },
  {
    name: 'rate limits admit every request',
    edits: [
      edit('src/core/limits/rate-limiter.ts', 'isAdmitted: refused === undefined,', 'isAdmitted: true,'),
    ],
    tests: ['test/core/limits/rate-limits.test.ts'],
  },
  {
    name: 'a tenant may store more than its quota',
    edits: [edit('migrations/functions/store_versions.sql', 'if v_has_quota then', 'if false then')],
    tests: ['test/core/limits/quotas.test.ts'],
  },
  {
    name: 'a statement may run for ever',
    edits: [
      edit(
        'src/core/storage/connection/connections.ts',
        'sql`set statement_timeout = ${sql.lit(this.options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS)}`,',
        'sql`set statement_timeout = 0`,',
      ),
    ],
    tests: [STATEMENT_TIMEOUT],
  },
  {
    name: 'a statement of the owner may run for ever',
    edits: [
      edit(
        'src/core/storage/connection/owner-session.ts',
        'sql`set statement_timeout = ${sql.lit(options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS)}`,',
        '',
      ),
    ],
    tests: [STATEMENT_TIMEOUT],
  },
  {
    name: 'FHIRPath compares each value with each when it looks for members',
    edits: [
      edit('src/core/fhir/path/membership.ts', 'if (nodes.length <= FEW || !tables.has(nodes))', 'if (true)'),
    ],
    title: 'takes linear time for name.where.given',
    tests: ['test/core/fhir/path/membership.test.ts'],
  },
  {
    name: 'an invariant compares each member with each when it looks for repetitions',
    edits: [edit('src/core/fhir/path/membership.ts', 'if (isLarge) {', 'if (false) {')],
    title: 'do not compare each with each',
    tests: ['test/core/fhir/validate/invariants-large.test.ts'],
  },
  {
    name: 'an invariant compares each member with each of another list',
    edits: [
      edit('src/core/fhir/path/membership.ts', 'if (nodes.length <= FEW || !tables.has(nodes))', 'if (true)'),
    ],
    title: 'do not compare each with each',
    tests: ['test/core/fhir/validate/invariants-large.test.ts'],
  },
  {
    name: 'Ctrl-C ends a process without its cleanup',
    edits: [edit('src/cli/process-end.ts', `'SIGTERM', 'SIGINT', 'SIGHUP'`, `'SIGTERM', 'SIGHUP'`)],
    title: 'SIGINT',
    tests: ['test/core/storage/migration-lock.test.ts'],
  },
  {
    name: 'a migration that is stopped has the exit code of a complete one',
    edits: [edit('src/cli/commands/migrate.ts', 'code: 1,', 'code: 0,')],
    tests: ['test/process/migrate.test.ts'],
  },
];
