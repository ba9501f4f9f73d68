import { fhirError } from '../../errors';
import { parseReference } from '../../fhir/reference';
import type { Hasher } from '../hash';
import { ROW_SCHEME } from '../index-rows';
import type { StoredParameter } from '../parameter';
import { splitUnescaped, unescapeValue } from '../parameter-value';
import { isCanonicalValued } from '../canonical-targets';
import type { Predicate } from '../predicate';
import { typedHash, type TypedTarget } from '../rows/reference';
import { foldCode } from '../rows/token';
import { ownIdPredicates, versionedPredicates } from './canonical';
import { hierarchyPredicates } from './hierarchy';
import type { SearchType, SearchTypeContext, WrittenParameter } from './search-type';

const ID = /^[A-Za-z0-9\-.]{1,64}$/;

/**
 * `Type/id`, `id`, an absolute url (ours is local), `:Type=id` (search.html#reference). Versioned references match by
 * id. A canonical is found by its url, with or without `|version`, and by the id of what has that url.
 */
export const referenceType: SearchType = {
  modifiers: ['[type]', 'identifier', 'below', 'above'],
  predicates(context, parameter, value): Predicate[] {
    if (parameter.modifier === 'identifier') return identifierPredicates(context, parameter, value);
    const text = unescapeValue(value);
    const { stored, modifier } = parameter;
    const isCanonical = isCanonicalValued(stored);
    if (modifier === 'below' && isCanonical) return versionedPredicates(context, parameter, text);
    if (modifier === 'below' || modifier === 'above') {
      const targets = isCanonical ? [] : allowedTypes(context, { ...parameter, modifier: undefined });
      return hierarchyPredicates(context, parameter, modifier, targets, value);
    }
    if (modifier !== undefined) requireTarget(context, stored, modifier);
    const literal = literalPredicates(context, parameter, text);
    if (!isCanonical) return literal;
    const own = ownIdPredicates(context, parameter, text);
    return [...literal, ...versionedPredicates(context, parameter, text), ...own];
  },
};

/** A type that the parameter never refers to is a mistake. Throws unsupportedModifier. */
function requireTarget(context: SearchTypeContext, stored: StoredParameter, modifier: string): void {
  const types = allowedTypes(context, { stored, name: '', modifier: undefined }).filter((type) =>
    stored.rowsOf.some(({ targetType }) => targetType === undefined || targetType === type),
  );
  if (types.includes(modifier)) return;
  const shown = types.length > MAX_SHOWN ? `${types.slice(0, MAX_SHOWN).join(', ')} …` : types.join(', ');
  throw fhirError('unsupportedModifier', {
    modifier,
    parameter: stored.parameter.code,
    known: `: it refers to ${shown}`,
  });
}

/** Types that a sentence names. */
const MAX_SHOWN = 10;

function literalPredicates(
  context: SearchTypeContext,
  parameter: WrittenParameter,
  text: string,
): Predicate[] {
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
}

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
  const system = second === undefined ? undefined : first;
  return stored.rowsOf.map(({ number, targetType }): Predicate => {
    if (targetType !== undefined) {
      const target = { system, code: code === '' ? undefined : foldCode(code) };
      return typedPredicate(hasher, number, targetType, target);
    }
    const parameter = number + ROW_SCHEME.identifier;
    const systemHash = system === undefined ? undefined : system === '' ? 0 : hasher.remembered(system);
    if (code === '') return { index: 'token', parameter, value: undefined, system: systemHash };
    const high = hasher.text(foldCode(code));
    return { index: 'token', parameter, value: { high, low: hasher.low }, system: systemHash };
  });
}

function typedPredicate(hasher: Hasher, number: number, type: string, target: TypedTarget): Predicate {
  const high = typedHash(hasher, type, target);
  return {
    index: 'token',
    parameter: number + ROW_SCHEME.typedReference,
    value: { high, low: hasher.low },
    system: 0,
  };
}

/** A url elsewhere, or a urn. One that says its type is found by a parameter for that type only. */
function outsidePredicates(
  { hasher }: SearchTypeContext,
  { stored }: WrittenParameter,
  text: string,
): Predicate[] {
  const told = parseReference(text).type;
  return stored.rowsOf.flatMap(({ number, targetType }): Predicate[] => {
    if (targetType !== undefined && told === undefined)
      return [typedPredicate(hasher, number, targetType, { address: text })];
    if (targetType !== undefined && told !== targetType) return [];
    const high = hasher.text(text);
    return [{ index: 'token', parameter: number, value: { high, low: hasher.low }, system: 0 }];
  });
}
