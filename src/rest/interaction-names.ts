/**
 * The interactions of REST and GraphQL with their route patterns. Logs and metrics use them instead of addresses, which
 * contain ids. The names are those of https://hl7.org/fhir/R4/valueset-type-restful-interaction.html where it has one.
 */
export interface Interaction {
  readonly name: string;
  readonly pattern: string;
}

/** `{fhir_root}` of docs/behaviour.md, as a route pattern. */
export const FHIR_ROOT = '/w/:tenant/api/v1/fhir/:release';

function describe(name: string, path: string): Interaction {
  return Object.freeze({ name, pattern: path });
}

export const INTERACTIONS = Object.freeze({
  capabilities: describe('capabilities', `${FHIR_ROOT}/metadata`),
  openapi: describe('openapi', `${FHIR_ROOT}/openapi.json`),
  create: describe('create', `${FHIR_ROOT}/:type`),
  read: describe('read', `${FHIR_ROOT}/:type/:id`),
  vread: describe('vread', `${FHIR_ROOT}/:type/:id/_history/:vid`),
  update: describe('update', `${FHIR_ROOT}/:type/:id`),
  patch: describe('patch', `${FHIR_ROOT}/:type/:id`),
  delete: describe('delete', `${FHIR_ROOT}/:type/:id`),
  conditionalUpdate: describe('conditional-update', `${FHIR_ROOT}/:type`),
  conditionalPatch: describe('conditional-patch', `${FHIR_ROOT}/:type`),
  conditionalDelete: describe('conditional-delete', `${FHIR_ROOT}/:type`),
  searchType: describe('search-type', `${FHIR_ROOT}/:type`),
  searchTypeByPost: describe('search-type', `${FHIR_ROOT}/:type/_search`),
  searchSystem: describe('search-system', FHIR_ROOT),
  searchSystemByPost: describe('search-system', `${FHIR_ROOT}/_search`),
  searchCompartment: describe('search-compartment', `${FHIR_ROOT}/:type/:id/:member`),
  searchCompartmentByPost: describe('search-compartment', `${FHIR_ROOT}/:type/:id/_search`),
  searchCompartmentTypeByPost: describe('search-compartment', `${FHIR_ROOT}/:type/:id/:member/_search`),
  historyInstance: describe('history-instance', `${FHIR_ROOT}/:type/:id/_history`),
  historyType: describe('history-type', `${FHIR_ROOT}/:type/_history`),
  historySystem: describe('history-system', `${FHIR_ROOT}/_history`),
  bundle: describe('bundle', FHIR_ROOT),
  asyncStatus: describe('async-status', `${FHIR_ROOT}/_async/:job`),
  asyncCancel: describe('async-cancel', `${FHIR_ROOT}/_async/:job`),
  operationSystem: describe('operation', `${FHIR_ROOT}/$:code`),
  operationType: describe('operation', `${FHIR_ROOT}/:type/$:code`),
  operationInstance: describe('operation', `${FHIR_ROOT}/:type/:id/$:code`),
  graphqlSystem: describe('graphql', `${FHIR_ROOT}/$graphql`),
  graphqlSystemByPost: describe('graphql', `${FHIR_ROOT}/$graphql`),
  graphqlInstance: describe('graphql', `${FHIR_ROOT}/:type/:id/$graphql`),
  graphqlInstanceByPost: describe('graphql', `${FHIR_ROOT}/:type/:id/$graphql`),
  smartConfiguration: describe('smart-configuration', `${FHIR_ROOT}/.well-known/smart-configuration`),
  oidc: describe('oidc', '/w/:tenant/oidc'),
  tenants: describe('tenants', '/w/system/api/v1/tenants'),
  health: describe('health', '/health'),
  none: describe('none', ''),
});
