/** Outbound requests, rates, quotas and times. */
import { edit } from './edit.mjs';

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
        'isListed || destinations.mayCall(address, isEncrypted)',
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
    edits: [edit('migrations/functions/write_versions.sql', 'if v_has_quota then', 'if false then')],
    tests: ['test/core/limits/quotas.test.ts'],
  },
];
