import type { SearchParameterDefinition } from '../../fhir/definitions';
import { parseChoice } from '../requests/choice';
import type { Criterion } from '../predicate';

/** `:missing=true|false` (search.html#modifiers), by the bit of the parameter in the resource's head. */
export function missingCriterion(
  name: string,
  { ordinal, number: parameter }: SearchParameterDefinition,
  value: string,
): Criterion {
  const isMissing = parseChoice(name, value, ['true', 'false'] as const) === 'true';
  return { name, anyOf: [{ index: 'presence', ordinal, isPresent: !isMissing, parameter }] };
}
