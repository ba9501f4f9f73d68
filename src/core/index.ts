/** The only entry point to core: createCore, the types of its results, and a few pure functions for the edges. */
export * from './api/core';
export type { Access, Log, RequestContext, Space, TenantSpace } from './context';
export { AccessTrail } from './audit/access-trail';
export { OPERATOR_ACTOR } from './audit/audit-trail';
export type { CodeSystemFile, CodeSystemReader, FoundDisplay, WantedDisplay } from './api/terminology';
export type { AuthMode } from './oauth/authentication';
export { ASSERTION_ALGORITHMS } from './oauth/client-assertion';
export { STYLE_PATH } from './api/tenant-address';
export { ID_TOKEN_ALGORITHMS } from './storage/accounts/client-applications';
export { OAuthError } from './api/oauth-error';
export { EMPTY_REQUEST_STATE } from './context';
export { ANONYMOUS_CALLER } from './api/access';
export { createCore } from './composition/create-core';
export { describePlace, inspectRedis } from './cache/inspect-redis';
export { settingsBehind } from './cache/redis-settings';
export type { RedisOptions } from './cache/redis-connection';
export type { DatabaseOptions } from './storage/connection/database';
export { distribute } from './storage/nodes/distribution';
export { listNodes, locateTenants, type NodeState } from './storage/nodes/node-list';
export { moveTenant } from './storage/nodes/move-tenant';
export { followRebalance, startRebalance } from './storage/nodes/rebalance';
export { inspectReplicas } from './storage/replicas/inspect-replica';
export { inspectDatabase, type DatabaseInspection } from './storage/schema/inspect-database';
export { lengthenSequences } from './storage/schema/long-sequences';
export { PROGRAM_SCHEMA } from './storage/schema/program-schema';
export { VERSION } from './version';
export { describeDifference, ReindexReport } from './indexing/reindex-report';
export type { Instruments } from './composition/core-options';
export { canHaveValues, elementTexts } from './fhir/element-values';
export { didYouMean } from '../../packages/fhir-values/closest-name';
export { parseLanguages } from './fhir/terminology/languages';
export { translationOf } from './fhir/terminology/translation-extension';
export { FilterAllowance, filterElements } from './fhir/element-filter';
export { isLoopback } from './network/ip-address';
export { loopbackAddresses } from './network/own-addresses';
export { unknownType } from './versions/resource-address';
export { ERROR_CATALOGUE, errorOf, FhirError, fhirError, toIssue, type ErrorKey, type Issue } from './errors';
export {
  isJsonObject,
  parseJson,
  parseStoredObject,
  stringifyJson,
  type JsonDocument,
  type JsonObject,
  type JsonValue,
} from './fhir/json';
export { sizeOfJson } from './fhir/json/copy';
export type { JsonOutline } from './fhir/json/outline';
export { oneLine } from './fhir/one-line';
export { exportLines } from './jobs/exports/export-lines';
export { parseQueryText, type QueryParameter } from './fhir/query-text';
export type { ResourceInput } from './api/resource-input';
export { documentText } from './operations/document-text';
export { UNKNOWN_TYPE } from './preparation/binary-content';
export { textOf } from './preparation/resource-input';
export { decodeUtf8 } from './preparation/utf8';
export { switchedOff } from './fhir/subscription/prepare-subscription';
export type { Notification, NotifiedEvent } from './api/notification';
export { socketUrl } from './fhir-subscriptions/sockets/socket-subscription';
export { ByteBudget, type HeldBytes } from './memory/byte-budget';
export type { Admission } from './api/process';
export { requireAdmitted, requireMessageAdmitted } from './limits/require-admitted';
export {
  isBusy,
  repeatWhile,
  whileBusy,
  type RetryPauses,
  type RepeatOptions,
} from './concurrency/while-busy';
export { isShownName } from './limits/shown-name';
export { toBundleInput, toResourceInput } from './preparation/threaded-preparer';
export { formatInstant, sequenceExtension } from './fhir/resource-text';
export { isSearchLength, requireSearchLength, RESULT_PARAMETERS } from './search/requests/parse-search';
export { parseHistoryParameters } from './interactions/history-parameters';
export type { LocalReference } from './fhir/reference';
export {
  isRelease,
  isReleaseScope,
  RELEASE_NAMES,
  RELEASES,
  type Release,
  type ReleaseScope,
} from './fhir/release';
export { releaseDefinitions, spaceDefinitions } from './composition/release-definitions';
export { registerCache, isCacheable } from './memory/cache-registry';
export { type BoundedCache, cacheLookups, createCache } from './memory/create-cache';
export { EXPORT_PARTS } from './tenants/tenant-export';
export { type ExportLine } from './api/tenant';
export { toFhirError, toOutcome, worstSeverity } from './outcome';
export { Usage } from './storage/connection/usage';
export { Cancellation } from './concurrency/cancellation';
export { fitsRelease, isJsonFormat, JSON_SUBTYPES, JSON_TYPES, specificityFor } from './fhir/json-format';
export { parseMediaRange, parseMediaRanges, splitOutsideQuotes, type MediaRange } from './fhir/media-range';
export { ID, isValidId } from './fhir/resource';
export { Outbound, OutboundError } from './outbound/outbound';
export { joinInTurns } from './concurrency/join-in-turns';
export { inSpan, isTraced, recordSpan } from './tracing';
export { inNextTurn } from './concurrency/next-turn';
export { turns } from './concurrency/turns';
