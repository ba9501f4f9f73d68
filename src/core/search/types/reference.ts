import { fhirError } from '../../errors';
import { ROW_SCHEME } from '../index-rows';
import { splitUnescaped, unescapeValue } from '../parameter-value';
import type { Predicate } from '../predicate';
import { foldCode } from '../rows/token';
import type { SearchType, SearchTypeContext, WrittenParameter } from './search-type';

const ID = /^[A-Za-z0-9\-.]{1,64}$/;

/**
 * `Type/id`, `id`, an absolute url (ours is local), `:Type=id` (search.html#reference). Versioned references match by
 * id. A canonical is found by its url, with or without `|version`.
 */
export const referenceType: SearchType = {
  modifiers: ['[type]', 'identifier'],
  predicates(context, parameter, value): Predicate[] {
    if (parameter.modifier === 'identifier') return identifierPredicates(context, parameter, value);
    const text = unescapeValue(value);
    const local = context.references.local(text);
    if (local !== undefined) {
      const { modifier } = parameter;
      if (modifier !== undefined && modifier !== local.type) {
        const reason = `the modifier says ${modifier}`;
        throw fhirError('invalidParameterValue', {
          parameter: parameter.name,
          value: text.slice(0, 80),
          reason,
        });
      }
      return targetPredicates(context, parameter, [local.type], local.id);
    }
    if (ID.test(text)) return targetPredicates(context, parameter, allowedTypes(context, parameter), text);
    return outsidePredicates(context, parameter, text);
  },
};

/** The types that a bare id may stand for: what the modifier says, or the targets of the parameter. */
export function allowedTypes(
  { definitions }: SearchTypeContext,
  { stored, modifier }: WrittenParameter,
): readonly string[] {
  if (modifier !== undefined) return [modifier];
  const { targets } = stored.parameter;
  const allowed = targets.filter((type) => definitions.isResourceType(type));
  return allowed.length > 0 ? allowed : definitions.resourceTypes;
}

function targetPredicates(
  context: SearchTypeContext,
  { stored }: WrittenParameter,
  types: readonly string[],
  id: string,
): Predicate[] {
  const predicates: Predicate[] = [];
  for (const { number, targetType } of stored.rowsOf) {
    for (const type of types) {
      if (targetType !== undefined && targetType !== type) continue;
      const target = context.keyOf(type, id);
      const typeNumber = context.definitions.typeNumber(type);
      const isBare = types.length > 1 && targetType === undefined;
      predicates.push({
        index: 'reference',
        parameter: number,
        target,
        targetType: typeNumber,
        ...(isBare ? { bareId: id } : {}),
      });
    }
  }
  return predicates;
}

/** `:identifier=system|value`: Reference.identifier, whatever the reference itself says. */
function identifierPredicates(
  { hasher }: SearchTypeContext,
  { stored, name }: WrittenParameter,
  value: string,
): Predicate[] {
  const parts = splitUnescaped(value, '|').map(unescapeValue);
  const [first = '', second] = parts;
  const code = second ?? first;
  if (parts.length > 2 || (code === '' && first === '')) {
    const reason = 'an identifier is value, system|value, |value or system|';
    throw fhirError('invalidParameterValue', { parameter: name, value: value.slice(0, 80), reason });
  }
  const system = second === undefined ? undefined : first === '' ? 0 : hasher.remembered(first);
  return stored.rowsOf.map(({ number }): Predicate => {
    const parameter = number + ROW_SCHEME.identifier;
    if (code === '') return { index: 'token', parameter, value: undefined, system };
    const high = hasher.text(foldCode(code));
    return { index: 'token', parameter, value: { high, low: hasher.low }, system };
  });
}

/** A url elsewhere, a urn, or a canonical. */
function outsidePredicates(
  { hasher }: SearchTypeContext,
  { stored }: WrittenParameter,
  text: string,
): Predicate[] {
  const bar = text.lastIndexOf('|');
  const url = bar === -1 ? text : text.slice(0, bar);
  const version = bar === -1 ? undefined : text.slice(bar + 1);
  return stored.rowsOf.flatMap(({ number }): Predicate[] => {
    const high = hasher.text(text);
    return [
      { index: 'token', parameter: number, value: { high, low: hasher.low }, system: 0 },
      ...(stored.valueTypes.some((type) => type === 'canonical' || type === 'uri')
        ? [{ index: 'uri', parameter: number, value: url, version } as const]
        : []),
    ];
  });
}
