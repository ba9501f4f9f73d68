/** The only door to core: createCore, the types of its answers, and the few pure functions that the edges need. */
export * from './api';
export type { Access } from './access/access';
export type { AuthMode } from './access/authentication';
export { ASSERTION_ALGORITHMS } from './access/client-assertion';
export { ID_TOKEN_ALGORITHMS, type IdTokenAlgorithm } from './storage/client-applications';
export { OAuthError } from './access/oauth-error';
export type { JobRequest } from './storage/async-jobs';
export { NOTHING_YET, type Log, type RequestContext, type Space, type TenantSpace } from './context';
export { createCore } from './create-core';
export type { Instruments } from './core-options';
export { elementTexts, mayGiveValues } from './element-values';
export { createFilterAllowance, filterElements, type FilterAllowance } from './element-filter';
export { FhirError, fhirError, toIssue, type ErrorKey, type Issue } from './errors';
export {
  isJsonObject,
  parseJson,
  parseStoredObject,
  stringifyJson,
  type JsonDocument,
  type JsonObject,
  type JsonValue,
} from './fhir/json';
export type { JsonOutline } from './fhir/json/outline';
export { parseQueryText, type QueryParameter } from './fhir/query-text';
export type { ResourceInput } from './preparation/preparer';
export type { Admission } from './limits/rate-limiter';
export { requireAdmitted } from './limits/require-admitted';
export { toBundleInput, toResourceInput } from './preparation/threaded-preparer';
export { formatInstant } from './fhir/resource-text';
export { isSearchLength, requireSearchLength } from './search/parse-search';
export { parseHistoryParameters } from './interactions/history-parameters';
export type { LocalReference } from './fhir/reference';
export { isRelease, RELEASE_NAMES, RELEASES, type Release } from './fhir/release';
export { releaseDefinitions, spaceDefinitions } from './release-definitions';
export { forgettable, mayRemember } from './process-memory';
export { EXPORT_PARTS, type ExportLine } from './tenant-export';
export { toFhirError, toOutcome } from './outcome';
export { Usage } from './usage';
export { Waiter } from './waiter';
