/**
 * The checks of $validate against the other definitions that a resource names. Writes do not: the definitions may be
 * stored later.
 */
import { FhirError } from '../../errors';
import type { JsonObject } from '../../fhir/json';
import { MAX_FINDINGS, type Finding } from '../../fhir/validate';
import type { TerminologyEnvironment } from '../../operation-types/environment';
import { terminologyOf } from '../../terminology/terminology-source';
import { checkMappedCodes } from './concept-map';
import { checkReportedGroups } from './measure-report';
import { checkProfiledParameters } from './operation-definition';
import type { RelationCheck } from './relation';
import { checkFilterValues } from './value-set';

const CHECKS: Readonly<Record<string, RelationCheck>> = Object.freeze({
  ConceptMap: checkMappedCodes,
  MeasureReport: checkReportedGroups,
  OperationDefinition: checkProfiledParameters,
  ValueSet: checkFilterValues,
});

/**
 * Returns errors, at most `MAX_FINDINGS`; definitions that the space does not have, or that cannot be evaluated, say nothing. Throws storage errors.
 * Cost: a statement or two for each definition that is named, and a look-up for each code.
 */
export async function checkRelations(
  environment: TerminologyEnvironment,
  resource: JsonObject,
): Promise<readonly Finding[]> {
  const type = resource['resourceType'];
  const check = typeof type === 'string' && Object.hasOwn(CHECKS, type) ? CHECKS[type] : undefined;
  if (check === undefined) return [];
  try {
    const findings = await check({ environment, source: terminologyOf(environment) }, resource);
    return findings.slice(0, MAX_FINDINGS);
  } catch (error) {
    const isUnusable = error instanceof FhirError && ['notSupported', 'tooCostly'].includes(error.key);
    if (isUnusable) return [];
    throw error;
  }
}
