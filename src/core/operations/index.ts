/** All implemented operations. REST, GraphQL and the CapabilityStatement derive from this list. */
import { codeSystemBatchValidateCode, valueSetBatchValidateCode } from './batch-validate-code';
import { capabilityStatementVersions } from './capability-statement-versions';
import { codeSystemFindMatches } from './code-system-find-matches';
import { codeSystemLookup } from './code-system-lookup';
import { codeSystemSubsumes } from './code-system-subsumes';
import { codeSystemValidateCode } from './code-system-validate-code';
import { compositionDocument } from './composition-document';
import { conceptMapClosure } from './concept-map-closure';
import { conceptMapTranslate } from './concept-map-translate';
import { encounterEverything, groupEverything, patientEverything } from './everything';
import { namingSystemPreferredId } from './naming-system-preferred-id';
import { observationLastn } from './observation-lastn';
import { type Operation } from '../operation-types/operation';
import { patientMatch } from './patient-match';
import { resourceMeta } from './resource-meta';
import { resourceMetaAdd, resourceMetaDelete } from './resource-meta-change';
import { resourcePurge } from './resource-purge';
import { resourceValidate } from './resource-validate';
import { searchParameterReindex, searchParameterReindexStatus } from './search-parameter-reindex';
import { structureDefinitionSnapshot } from './structure-definition-snapshot';
import { subscriptionBindingToken } from './subscription-binding-token';
import { subscriptionEvents } from './subscription-events';
import { subscriptionStatus } from './subscription-status';
import { valueSetExpand } from './value-set-expand';
import { valueSetValidateCode } from './value-set-validate-code';

export const OPERATIONS: readonly Operation[] = Object.freeze([
  capabilityStatementVersions,
  codeSystemBatchValidateCode,
  codeSystemFindMatches,
  codeSystemLookup,
  codeSystemSubsumes,
  codeSystemValidateCode,
  compositionDocument,
  conceptMapClosure,
  conceptMapTranslate,
  encounterEverything,
  groupEverything,
  namingSystemPreferredId,
  observationLastn,
  patientEverything,
  patientMatch,
  resourceMeta,
  resourceMetaAdd,
  resourceMetaDelete,
  resourcePurge,
  resourceValidate,
  searchParameterReindex,
  searchParameterReindexStatus,
  structureDefinitionSnapshot,
  subscriptionBindingToken,
  subscriptionEvents,
  subscriptionStatus,
  valueSetBatchValidateCode,
  valueSetExpand,
  valueSetValidateCode,
]);
