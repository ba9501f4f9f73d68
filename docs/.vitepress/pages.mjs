/**
 * The sidebar of the site: every page of docs/, in parts and groups. The name of a page is its first heading. `npm run
 * check:docs` fails when a page is missing here, or named and absent.
 */

/** `folded`: the group is closed until a reader opens it. */
export const PARTS = [
  {
    part: 'Use it',
    groups: [
      { group: 'Begin', pages: ['use/start', 'use/console', 'use/faq', 'use/troubleshooting'] },
      {
        group: 'How to',
        pages: [
          'use/load-synthea',
          'use/connect-smart-app',
          'use/subscribe',
          'use/export',
          'use/import',
          'use/large-files',
          'use/import-guide',
          'use/import-terminology',
          'use/create-tenants',
        ],
      },
      {
        group: 'REST',
        pages: [
          'use/search',
          'use/search-reference',
          'use/patch',
          'use/conditional',
          'use/bundles',
          'use/history',
          'use/bulk-data',
          'use/http',
          'use/validation',
          'use/fhir-operations',
          'use/subscriptions',
        ],
      },
      {
        group: 'GraphQL',
        pages: ['use/graphql', 'use/graphql-reference', 'use/front-end', 'use/graphql-hl7'],
      },
      {
        group: 'Recipes for clients',
        pages: [
          'use/recipes/fhir-kit-client',
          'use/recipes/fhirclient-js',
          'use/recipes/medplum-core',
          'use/recipes/python',
          'use/recipes/hapi-client',
          'use/recipes/firely',
        ],
      },
      {
        group: 'Coming from another server',
        pages: ['use/coming-from-hapi', 'use/coming-from-medplum', 'use/coming-from-aidbox'],
      },
    ],
  },
  {
    part: 'Run it',
    groups: [
      {
        group: 'Install',
        pages: [
          'run/deploy',
          'run/postgresql',
          'run/failover',
          'run/redis',
          'run/sizing',
          'run/scale',
          'run/upgrades',
        ],
      },
      {
        group: 'Operate',
        pages: ['run/operations', 'run/monitoring', 'run/runbook', 'run/backup', 'run/limits'],
      },
      {
        group: 'Tenants and access',
        pages: [
          'run/tenants',
          'run/own-administration',
          'run/access',
          'run/access-rules',
          'run/audit',
          'run/security',
        ],
      },
    ],
  },
  {
    part: 'Understand it',
    groups: [
      {
        group: 'How it works',
        pages: [
          'understand/architecture',
          'understand/request-flow',
          'understand/storage',
          'understand/distributed',
          'understand/search-internals',
          'understand/validation-internals',
          'understand/graphql-internals',
          'understand/access-internals',
          'understand/console-internals',
          'understand/faults',
        ],
      },
      {
        group: 'Measurements',
        folded: true,
        pages: [
          'understand/benchmark',
          'bench/latest',
          'bench/search',
          'bench/graphql',
          'bench/access',
          'bench/journal/README',
          'bench/journal/access',
          'bench/journal/graphql',
          'bench/journal/imports',
          'bench/journal/searches',
          'bench/journal/v8',
          'bench/journal/writes',
        ],
      },
      {
        group: 'Decisions',
        folded: true,
        pages: [
          'decisions/0001-counter-row-and-gathered-writes',
          'decisions/0002-text-is-the-truth',
          'decisions/0003-system-hash-last-in-the-token-index',
          'decisions/0004-one-write-function',
          'decisions/0005-presence-bitmap',
          'decisions/0006-ids-and-keys',
          'decisions/0007-shared-rows',
          'decisions/0008-no-version-texts-in-redis',
          'decisions/0009-searches-share-statements',
          'decisions/0010-numbers-to-the-last-digit',
          'decisions/0011-versions-that-a-process-remembers',
          'decisions/0012-graphql-documents-are-compiled-to-closures',
          'decisions/0013-audit',
          'decisions/0014-answers-of-searches-that-still-stand',
          'decisions/0015-signing-in-is-written-here',
          'decisions/0016-what-validation-refuses',
          'decisions/0017-what-changes-with-the-data-of-a-space',
          'decisions/0018-the-database-says-how-far-it-is',
        ],
      },
    ],
  },
  {
    part: 'Reference',
    groups: [
      {
        group: 'Interfaces',
        pages: [
          'reference/rest',
          'reference/graphql-schema',
          'reference/operations',
          'reference/administration',
          'reference/errors',
          'reference/behaviour',
        ],
      },
      { group: 'Server', pages: ['reference/configuration', 'reference/commands'] },
    ],
  },
];

/** All pages of the sidebar, such as `use/start`. */
export const PAGES = PARTS.flatMap(({ groups }) => groups.flatMap(({ pages }) => pages));
