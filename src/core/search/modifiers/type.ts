import { fhirError } from '../../errors';
import type { StoredParameter } from '../parameters/parameter';
import { allowedTypes, referencePredicates } from '../types/reference-targets';
import type { Modifier, SearchTypeContext } from '../types/search-type';

/** `:[type]`: matches a reference to a resource of that type (search.html#reference). */
export const referenceOfType: Modifier = {
  predicates(context, parameter, value) {
    const { stored, modifier } = parameter;
    if (modifier !== undefined) requireTarget(context, stored, modifier);
    return referencePredicates(context, parameter, value);
  },
};

/** Throws unsupportedModifier for a type that the parameter never refers to. */
function requireTarget(context: SearchTypeContext, stored: StoredParameter, modifier: string): void {
  const types = allowedTypes(context, { stored, name: '', modifier: undefined }).filter((type) =>
    stored.rowsOf.some(({ targetType }) => targetType === undefined || targetType === type),
  );
  if (types.includes(modifier)) return;
  const shown = types.length > MAX_SHOWN ? `${types.slice(0, MAX_SHOWN).join(', ')} …` : types.join(', ');
  throw fhirError('unsupportedModifier', {
    modifier,
    parameter: stored.parameter.code,
    explanation: `: it refers to ${shown}`,
  });
}

/** Limit on the types that an error message names. */
const MAX_SHOWN = 10;
