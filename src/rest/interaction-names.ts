/**
 * The interactions of REST and GraphQL with their route patterns. Logs and metrics use them instead of addresses, which
 * contain ids. The names are those of https://hl7.org/fhir/R4/valueset-type-restful-interaction.html where it has one.
 */
export interface Interaction {
  readonly name: string;
  readonly pattern: string;
}

/** An interaction with a FHIR address. */
export interface RoutedInteraction extends Interaction {
  /** GET includes HEAD. */
  readonly methods: readonly Method[];
}

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

/** `{fhir_root}` of docs/reference/behaviour.md, as a route pattern. */
export const FHIR_ROOT = '/w/:tenant/api/v1/fhir/:release';

function describe(name: string, methods: readonly Method[], path: string): RoutedInteraction {
  return Object.freeze({ name, pattern: FHIR_ROOT + path, methods });
}

function elsewhere(name: string, pattern: string): Interaction {
  return Object.freeze({ name, pattern });
}

export const INTERACTIONS = Object.freeze({
  searchSystem: describe('search-system', ['GET'], ''),
  bundle: describe('bundle', ['POST'], ''),
  asyncStatus: describe('async-status', ['GET'], '/_async/:job'),
  asyncCancel: describe('async-cancel', ['DELETE'], '/_async/:job'),
  bulkStatus: describe('bulk-status', ['GET'], '/_bulk/:job'),
  bulkCancel: describe('bulk-cancel', ['DELETE'], '/_bulk/:job'),
  bulkFile: describe('bulk-file', ['GET'], '/_bulk/:job/:file'),
  exportSystem: describe('export', ['GET'], '/$export'),
  exportSystemByPost: describe('export', ['POST'], '/$export'),
  exportPatients: describe('export', ['GET'], '/Patient/$export'),
  exportPatientsByPost: describe('export', ['POST'], '/Patient/$export'),
  exportGroup: describe('export', ['GET'], '/Group/:id/$export'),
  exportGroupByPost: describe('export', ['POST'], '/Group/:id/$export'),
  startImport: describe('import', ['POST'], '/$import'),
  importCodeSystem: describe('import', ['POST'], '/CodeSystem/$import'),
  smartConfiguration: describe('smart-configuration', ['GET'], '/.well-known/smart-configuration'),
  capabilities: describe('capabilities', ['GET'], '/metadata'),
  openapi: describe('openapi', ['GET'], '/openapi.json'),
  searchSystemByPost: describe('search-system', ['POST'], '/_search'),
  historySystem: describe('history-system', ['GET'], '/_history'),
  operationSystem: describe('operation', ['GET', 'POST'], '/$:code'),
  searchType: describe('search-type', ['GET'], '/:type'),
  create: describe('create', ['POST'], '/:type'),
  conditionalUpdate: describe('conditional-update', ['PUT'], '/:type'),
  conditionalPatch: describe('conditional-patch', ['PATCH'], '/:type'),
  conditionalDelete: describe('conditional-delete', ['DELETE'], '/:type'),
  searchTypeByPost: describe('search-type', ['POST'], '/:type/_search'),
  historyType: describe('history-type', ['GET'], '/:type/_history'),
  operationType: describe('operation', ['GET', 'POST'], '/:type/$:code'),
  read: describe('read', ['GET'], '/:type/:id'),
  update: describe('update', ['PUT'], '/:type/:id'),
  patch: describe('patch', ['PATCH'], '/:type/:id'),
  delete: describe('delete', ['DELETE'], '/:type/:id'),
  historyInstance: describe('history-instance', ['GET'], '/:type/:id/_history'),
  operationInstance: describe('operation', ['GET', 'POST'], '/:type/:id/$:code'),
  vread: describe('vread', ['GET'], '/:type/:id/_history/:vid'),
  searchCompartmentByPost: describe('search-compartment', ['POST'], '/:type/:id/_search'),
  searchCompartment: describe('search-compartment', ['GET'], '/:type/:id/:member'),
  searchCompartmentTypeByPost: describe('search-compartment', ['POST'], '/:type/:id/:member/_search'),
  graphqlSystem: describe('graphql', ['GET'], '/$graphql'),
  graphqlSystemByPost: describe('graphql', ['POST'], '/$graphql'),
  graphqlInstance: describe('graphql', ['GET'], '/:type/:id/$graphql'),
  graphqlInstanceByPost: describe('graphql', ['POST'], '/:type/:id/$graphql'),
  subscriptionSocket: elsewhere('subscription-socket', `${FHIR_ROOT}/websocket`),
  oidc: elsewhere('oidc', '/w/:tenant/oidc'),
  tenants: elsewhere('tenants', '/w/system/api/v1/tenants'),
  health: elsewhere('health', '/health'),
  console: elsewhere('console', '/'),
  none: elsewhere('none', ''),
});
