import { fhirError } from '../../errors';
import { ROW_SCHEME } from '../rows/index-rows';
import { isEmbedded } from '../parameters/parameter';
import { splitUnescaped, unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { Predicate } from '../predicate';
import { foldCode } from '../rows/token';
import { typedPredicate } from '../types/reference-targets';
import type { Modifier } from '../types/search-type';

/** `system|value`: matches Reference.identifier and ignores the reference itself (search.html#reference). */
export const referenceIdentifier: Modifier = {
  predicates({ definitions, hasher }, { stored, name }, value) {
    if (isEmbedded(definitions, stored)) {
      const parameter = stored.parameter.code;
      const explanation = `; it is not a reference; search for ${parameter}.identifier`;
      throw fhirError('unsupportedModifier', { modifier: 'identifier', parameter, explanation });
    }
    const parts = splitUnescaped(value, '|').map(unescapeValue);
    const [first = '', second] = parts;
    const code = second ?? first;
    if (parts.length > 2 || (code === '' && first === '')) {
      const reason = 'an identifier is value, system|value, |value or system|';
      throw fhirError('invalidParameterValue', { parameter: name, value: value.slice(0, 80), reason });
    }
    const system = second === undefined ? undefined : first;
    return stored.rowsOf.map(({ number, targetType }): Predicate => {
      if (targetType !== undefined) {
        const target = { system, code: code === '' ? undefined : foldCode(code) };
        return typedPredicate(hasher, number, targetType, target);
      }
      const parameter = number + ROW_SCHEME.identifier;
      const systemHash = system === undefined ? undefined : system === '' ? 0 : hasher.cachedShort(system);
      if (code === '') return { index: 'token', parameter, value: undefined, system: systemHash };
      const high = hasher.text(foldCode(code));
      return { index: 'token', parameter, value: { high, low: hasher.low }, system: systemHash };
    });
  },
};
