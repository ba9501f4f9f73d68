/**
 * The rooms of src/core from top to bottom: a file imports from its own room and from those below it, types included. The rule
 * `rooms-in-order` (.dependency-cruiser.cjs) and the table in docs/understand/architecture.md come from this list. The files at
 * the root of core (context, errors, outcome, ports, tracing, version) name what all rooms share, and stand beside them.
 */
module.exports = [
  ['composition', 'creates the parts of core once; the program of the worker thread'],
  ['jobs', 'jobs of all kinds: asynchronous requests, administration, search parameters'],
  ['erasure', 'purge'],
  ['fhir-subscriptions', 'FHIR Subscriptions: their criteria, `delivery/`, `sockets/`'],
  ['live-queries', 'GraphQL subscriptions: readers of the change feed'],
  [
    'interactions',
    'one file per FHIR interaction; `bundle/`, `conditional/`, `compartment/` ($everything and documents)',
  ],
  ['operations', 'one file per `$operation` and the list of them'],
  ['oauth', 'clients, tokens, sign-in ([access-internals.md](access-internals.md))'],
  ['audit', 'AuditEvents: the record of each interaction, and its storage'],
  ['tenants', 'spaces, settings, decoys, export, import, removal'],
  ['preparation', 'from request text to stored version or validation report; the worker thread'],
  ['indexing', 'reindex, verification, work on search parameters'],
  ['topics', 'SubscriptionTopics of the server and of tenants'],
  ['change-feed', 'the changes that a reader of the feed gets'],
  ['validation', 'validation that needs the database: profiles, questionnaires and codes of a tenant'],
  [
    'search-execution',
    'runs searches: `plan/`, `strategies/`, `sort/`, `page/`, `aggregates/`, several types, a past moment; `read-scope.ts` says how statements run',
  ],
  ['terminology', 'code systems and value sets of a space'],
  ['conformance', 'base resources, and resources by their canonical url'],
  ['versions', 'read, vread, stored versions, addresses of resources'],
  ['authorization', 'permissions, policies, scopes, compartments, redaction'],
  ['operation-types', 'types of operations: environment, parameters, registry, own definitions'],
  ['limits', 'rates and sizes'],
  ['cache', 'Redis, and erasure from the caches of all processes'],
  ['content', 'large content: in the database, a folder or a bucket; its removal'],
  ['api', 'public types, one file per topic'],
  ['outbound', 'outgoing requests'],
  ['network', 'addresses'],
  [
    'storage',
    'all SQL: `connection/ schema/ read/ write/ search/ indexing/ accounts/ tenants/ jobs/ audit/ notifications/`',
  ],
  ['search', 'pure: parameters, parsing, index rows, choice and cost of access paths'],
  ['concurrency', 'queues, turns, cancellation'],
  [
    'fhir',
    'pure: JSON that keeps digits, definitions, dates, units, patches, FHIRPath, terminology, validation',
  ],
  ['memory', 'memory of a process: caches and their registry, byte budget, token buckets'],
];
