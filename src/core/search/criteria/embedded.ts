/** Criteria on a resource inside the searched one: the first resource of a stored document or message. */
import type { Definitions } from '../../fhir/definitions';
import { storedParameters } from '../parameters/parameter';
import type { Criterion, Predicate, Scan } from '../predicate';

/**
 * Returns the name of a criterion on resources of `type` that a resource inside another one can never meet; undefined:
 * there is none. Nothing refers to it, it has no time of change in the index, and no rows of parameters of tenants.
 */
export function unmetInside(
  definitions: Definitions,
  type: string,
  criteria: readonly Criterion[],
): string | undefined {
  const ofTenant = new Set(
    [...storedParameters(definitions, type).values()]
      .filter(({ parameter }) => parameter.isForeign === true)
      .map(({ parameter }) => parameter.number),
  );
  const isUnmet = (predicate: Predicate): boolean => {
    switch (predicate.index) {
      case 'updated':
      case 'source':
      case 'currentList':
        return true;
      case 'all':
        return predicate.criteria.some(({ anyOf }) => anyOf.some(isUnmet));
      case 'scan':
        return scannedParameters(predicate.scan).some((number) => ofTenant.has(number));
      default:
        return parametersOf(predicate).some((number) => ofTenant.has(number));
    }
  };
  return criteria.find(({ anyOf }) => anyOf.some(isUnmet))?.name;
}

function parametersOf(predicate: Predicate): readonly number[] {
  if ('parameter' in predicate) return [predicate.parameter];
  if ('parameters' in predicate) return predicate.parameters;
  return 'rows' in predicate ? predicate.rows.parameters : [];
}

function scannedParameters(scan: Scan): readonly number[] {
  switch (scan.kind) {
    case 'words':
      return typeof scan.texts === 'string' ? [] : [scan.texts.parameter.number];
    case 'rows':
      return scan.criteria.flatMap(({ anyOf }) => anyOf.flatMap(parametersOf));
    default:
      return [scan.parameter.number];
  }
}
