/** Faults by which content that a policy or a grant hides could be read. */
import { edit } from './edit.mjs';

const HIDDEN_IN_PAGES = 'test/core/access/hidden-in-pages.test.ts';
const RULES = 'test/core/access/rules.test.ts';

export const HIDDEN = [
  {
    name: 'a read shows hidden elements',
    edits: [
      edit(
        'src/core/composition/interaction-table.ts',
        '(redaction, version) => redaction.version(version);',
        '(_redaction, version) => version;',
      ),
    ],
    tests: [RULES],
  },
  {
    name: 'a GraphQL query shows hidden elements',
    edits: [
      edit(
        'src/core/composition/interaction-table.ts',
        'redact: (redaction, version) => version && redaction.version(version),',
        'redact: undefined,',
      ),
    ],
    tests: ['test/access/rest-and-graphql.test.ts'],
  },
  {
    name: 'included resources show hidden elements',
    edits: [
      edit(
        'src/core/authorization/element-redaction.ts',
        'included: this.versions(page.included)',
        'included: page.included',
      ),
    ],
    tests: [HIDDEN_IN_PAGES],
  },
  {
    name: 'a history shows hidden elements',
    edits: [
      edit(
        'src/core/authorization/element-redaction.ts',
        'return { ...page, versions: this.versions(page.versions) };',
        'return page;',
      ),
    ],
    tests: [RULES],
  },
  {
    name: 'a live query shows hidden elements',
    edits: [
      edit(
        'src/core/authorization/element-redaction.ts',
        'return change && { ...change, version: this.version(change.version) };',
        'return change;',
      ),
    ],
    tests: [HIDDEN_IN_PAGES],
  },
  {
    name: 'a search may ask for hidden elements',
    edits: [
      edit('src/core/authorization/elements.ts', 'if (this.hidden.isEmpty) return true;', 'return true;'),
    ],
    tests: [RULES],
  },
  {
    name: 'a resource shows the narrative that repeats hidden elements',
    edits: [edit('src/core/authorization/elements.ts', ' || (root !== undefined && name === NARRATIVE)', '')],
    tests: [HIDDEN_IN_PAGES],
  },
  {
    name: 'a live query delivers changes that are hidden from the subscriber',
    edits: [
      edit(
        'src/core/change-feed/change-filter.ts',
        'this.#parsed = [...restricting, ...criteria];',
        'this.#parsed = criteria;',
      ),
    ],
    tests: [RULES],
  },
  {
    name: 'a Subscription shows its secret headers',
    edits: [
      edit(
        'src/core/fhir/subscription/prepare-subscription.ts',
        'header: sent.map(maskHeader)',
        'header: sent',
      ),
    ],
    tests: ['test/rest/subscriptions/rights.test.ts'],
  },
];
