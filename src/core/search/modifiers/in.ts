import { unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { Modifier } from '../types/search-type';
import { codeRows, OF_TERMINOLOGY, requireType } from '../types/token-codes';

/** Matches a code in the value set of a uri or a reference (search.html#token). */
export const tokenIn: Modifier = {
  predicates(context, parameter, value) {
    requireType(parameter, OF_TERMINOLOGY, 'its values are not codes of a code system');
    context.requireAll?.('ValueSet', `The modifier ':${parameter.modifier}'`);
    return [{ index: 'valueSet', rows: codeRows(parameter), valueSet: unescapeValue(value) }];
  },
};
