/** Scopes, page links, audit records, and the log. */
import { edit } from './edit.mjs';

const CROSSING = 'test/security/crossing.test.ts';
const OWNERS = 'test/access/owners.test.ts';
const ABOUT_OTHERS = 'test/access/writes-about-others.test.ts';
const OPENED = 'test/access/opened.test.ts';
const RULES = 'test/core/access/rules.test.ts';

export const RIGHTS = [
  {
    name: 'a patient scope reads the records of other patients',
    edits: [
      edit(
        'src/core/authorization/caller-grants.ts',
        `if (context === 'patient') return patientInContext(this.access);`,
        `if (context === 'patient') return undefined;`,
      ),
    ],
    tests: [RULES],
  },
  {
    name: 'a search ignores the conditions of the scopes',
    edits: [
      edit(
        'src/core/authorization/permissions.ts',
        `restriction: (type) => this.conditions(type, 's'),`,
        'restriction: () => [],',
      ),
    ],
    tests: [RULES],
  },
  {
    name: 'an update needs no scope',
    edits: [
      edit(
        'src/core/authorization/write-guard.ts',
        `if (isLive && (await mayChange('u'))) {`,
        'if (isLive) {',
      ),
    ],
    tests: [RULES],
  },
  {
    name: 'an update may move a resource out of the scope',
    edits: [
      edit(
        'src/core/authorization/write-guard.ts',
        `if ((await visibility.verdictOn(type, right, next)) !== 'yes') throw outside(type);`,
        '',
      ),
    ],
    tests: [RULES],
  },
  {
    name: 'a deletion needs no scope',
    edits: [
      edit(
        'src/core/authorization/write-guard.ts',
        `permissions.require(type, 'd');
      if (!isLive) return current;
      if (await mayChange('d')) return current;`,
        'return current;',
      ),
    ],
    tests: [RULES],
  },
  {
    name: 'a patient writes about others in whose resources she stands',
    edits: [edit('src/core/authorization/owner-guard.ts', 'if (element !== undefined) {', 'if (false) {')],
    tests: [OWNERS],
  },
  {
    name: 'a patient puts others into roles of her resources',
    edits: [edit('src/core/authorization/owner-guard.ts', 'if (found === undefined)', 'if (found)')],
    tests: [OWNERS],
  },
  {
    name: 'a patient changes another Patient who is linked to her',
    edits: [edit('src/core/authorization/owner-guard.ts', 'if (isReached) return', 'return')],
    tests: [ABOUT_OTHERS],
  },
  {
    name: 'a patient writes a Provenance of what others own',
    edits: [edit('src/core/authorization/owner-guard.ts', 'if (verdicts.includes(false)) return fault;', '')],
    tests: [ABOUT_OTHERS],
  },
  {
    name: 'a record opens the Device of another patient',
    edits: [
      edit(
        'src/core/authorization/referenced.ts',
        `if (opening === 'always' || opening === 'bySetting') return [];`,
        'if (opening) return [];',
      ),
    ],
    tests: [OPENED],
  },
  {
    name: 'an app of a patient opens what it refers to',
    edits: [edit('src/core/authorization/unopened.ts', '&& permissions.isForPatients;', '&& false;')],
    tests: [OPENED],
  },
  {
    name: 'a patient reads the headers of an Endpoint',
    edits: [edit('src/core/authorization/caller-grants.ts', 'this.policies, secrets)', 'this.policies)')],
    tests: [OPENED],
  },
  {
    name: 'an operation needs no scope',
    edits: [
      edit('src/core/authorization/operation-rule.ts', 'if (permissions === undefined) return;', 'return;'),
    ],
    tests: [RULES],
  },
  {
    name: 'a GraphQL request needs no scope',
    edits: [
      edit(
        'src/gateway/callers.ts',
        '...(caller.access === undefined ? {} : { access: caller.access }),',
        '',
      ),
    ],
    tests: ['test/access/rest-and-graphql.test.ts'],
  },
  {
    name: 'a page link has no signature',
    edits: [
      edit(
        'src/core/search-execution/page/cursor.ts',
        `bytes.length > SIGNATURE_BYTES &&
    keys.some((key) => timingSafeEqual(sign(key, cursorScope, body), signature));`,
        'bytes.length > SIGNATURE_BYTES;',
      ),
    ],
    title: 'a page link',
    tests: [CROSSING],
  },
  {
    name: 'a page link of a search is valid for another tenant',
    edits: [
      edit(
        'src/core/search-execution/plan/prepare-search.ts',
        'return `search ${context.space.number} ',
        'return `search ',
      ),
    ],
    title: 'a page link',
    tests: [CROSSING],
  },
  {
    name: 'a page link of a search is valid for another search',
    edits: [
      edit(
        'src/core/search-execution/plan/prepare-search.ts',
        '${address} ${JSON.stringify(parameters)}${queryVersion}',
        '${address} ${queryVersion}',
      ),
    ],
    tests: ['test/rest/search-cursors.test.ts'],
  },
  {
    name: 'a page link of a history is valid for another resource',
    edits: [
      edit(
        'src/core/interactions/history.ts',
        '${type}/${id} ${since} ${sinceSequence}',
        '${type} ${since} ${sinceSequence}',
      ),
    ],
    title: 'a page link',
    tests: [CROSSING],
  },
  {
    name: 'a write leaves no audit record',
    edits: [
      edit(
        'src/core/interactions/replace-version.ts',
        `    companion: aspects.companion,
    record: recordOf(context, type, id),
  };
  return { write, created: !live };`,
        `    companion: aspects.companion,
    record: undefined,
  };
  return { write, created: !live };`,
      ),
    ],
    tests: ['test/rest/audit.test.ts'],
  },
  {
    name: 'a read leaves no audit record',
    edits: [edit('src/core/audit/recorder.ts', 'else if (recorder.recordsReads) {', 'else if (false) {')],
    tests: ['test/rest/audit.test.ts'],
  },
  {
    name: 'the log has the addresses of requests',
    edits: [
      edit(
        'src/rest/observation/request-log.ts',
        '    method: request.method,',
        '    method: request.method, url: request.url,',
      ),
    ],
    tests: ['test/rest/logs.test.ts'],
  },
];
