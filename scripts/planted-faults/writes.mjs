/** Conditions, history, and what may be stored. */
import { edit } from './edit.mjs';

const INTERACTIONS = 'test/rest/interactions.test.ts';

export const WRITES = [
  {
    name: 'If-Match is ignored',
    edits: [
      edit(
        'src/core/interactions/replace-version.ts',
        `if (!guard.ifMatch.includes(String(live.version)) && !guard.ifMatch.includes('*')) {`,
        'if (false) {',
      ),
    ],
    tests: [INTERACTIONS],
  },
  {
    name: 'If-None-Match is ignored',
    edits: [
      edit(
        'src/core/interactions/replace-version.ts',
        'if (guard?.ifNoneMatchAny === true && live !== undefined) {',
        'if (false) {',
      ),
    ],
    tests: [INTERACTIONS],
  },
  {
    name: 'the condition of a write is not tested again in its transaction',
    edits: [
      edit(
        'src/core/storage/write/write-queues.ts',
        'if (!(await condition.holds(database, write.expected))) throw new ConditionLost();',
        '',
      ),
    ],
    tests: ['test/core/interactions/conditional-races.test.ts'],
  },
  {
    name: 'conditional writes take no locks',
    edits: [
      edit(
        'src/core/storage/write/condition-lock.ts',
        'await run(LOCK, { keys: keys.finish(), shared: shared.finish(), limit: ordered.length });',
        '',
      ),
    ],
    tests: ['test/rest/conditional.test.ts'],
  },
  {
    name: 'a patch ignores its tests',
    edits: [
      edit(
        'src/core/fhir/patch.ts',
        'if (!areEqualJson(this.existing(operation.path), operation.value)) {',
        'if (false) {',
      ),
    ],
    tests: ['test/core/fhir/patch.test.ts'],
    error: 'nothing was refused',
  },
  {
    name: 'the number of a version skips one',
    edits: [
      edit(
        'migrations/functions/store_versions.sql',
        'set version = h.version + 1',
        'set version = h.version + 2',
      ),
    ],
    tests: [INTERACTIONS],
  },
  {
    name: 'a history begins with the oldest version',
    edits: [
      edit(
        'src/core/storage/read/version-statements.ts',
        `), 1)
    order by v.version desc`,
        `), 1)
    order by v.version`,
      ),
    ],
    tests: [INTERACTIONS],
  },
  {
    name: 'references need no target',
    edits: [
      edit(
        'src/core/interactions/referential-integrity.ts',
        'if (named === undefined || named.length === 0) return {};',
        'if (named !== undefined || own.length > 0) return {};',
      ),
    ],
    tests: ['test/rest/referential-integrity.test.ts'],
  },
  {
    name: 'a transaction keeps the entries before the one that failed',
    edits: [
      edit(
        'src/core/storage/connection/connection.ts',
        'await this.execute(ROLLBACK, {});',
        'await this.execute(COMMIT, {});',
      ),
    ],
    tests: ['test/rest/transaction-undone.test.ts'],
  },
  {
    name: 'a decimal loses its digits',
    edits: [
      edit(
        'src/core/fhir/json/scan.ts',
        'if (String(Number(literal)) === literal || !NUMBER_LITERAL.test(literal)) return false;',
        'return false;',
      ),
    ],
    tests: ['test/core/fhir/decimal.test.ts', 'test/rest/exact.test.ts'],
  },
  {
    name: 'a member may occur twice',
    edits: [
      edit(
        'src/core/fhir/json.ts',
        'if (scan.hasForbiddenCharacter || countMembers(value) !== scan.members) {',
        'if (scan.hasForbiddenCharacter) {',
      ),
    ],
    tests: ['test/core/fhir/json.test.ts'],
    error: 'nothing was refused',
  },
  {
    name: 'a required binding accepts any code',
    edits: [
      edit(
        'src/core/fhir/validate/binding.ts',
        `if (typeof value === 'string' && !test.hasCode(value)) refuse`,
        'if (false) refuse',
      ),
    ],
    tests: ['test/core/fhir/validate/binding.test.ts'],
  },
  {
    name: 'invariants always hold',
    edits: [
      edit(
        'src/core/fhir/validate/invariants.ts',
        'return test(value, element, run) === true;',
        'return true;',
      ),
    ],
    tests: ['test/core/fhir/validate/invariants.test.ts'],
  },
];
