/** Functions that all searches for references share. */
import { fhirError } from '../../errors';
import { parseReference } from '../../fhir/reference';
import { isCanonicalValued } from '../parameters/canonical-targets';
import type { Hasher } from '../rows/hash';
import { ROW_SCHEME } from '../rows/index-rows';
import { isEmbedded } from '../parameters/parameter';
import { unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { Predicate } from '../predicate';
import { typedHash, type TypedTarget } from '../rows/reference';
import { ownIdPredicates, versionedPredicates } from './canonical';
import type { SearchTypeContext, WrittenParameter } from './search-type';
import { isValidId } from '../../fhir/resource';

/**
 * Returns predicates for `Type/id`, `id` or an absolute url (one of ours is local) (search.html#reference). Versioned
 * references match by id. A canonical matches by its url, with or without `|version`, and by the id of the resource
 * with that url.
 */
export function referencePredicates(
  context: SearchTypeContext,
  parameter: WrittenParameter,
  value: string,
): Predicate[] {
  const text = unescapeValue(value);
  const literal = literalPredicates(context, parameter, text);
  if (!isCanonicalValued(parameter.stored)) return literal;
  const own = ownIdPredicates(context, parameter, text);
  return [...literal, ...versionedPredicates(context, parameter, text), ...own];
}

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
  if (isValidId(text)) return targetPredicates(context, parameter, allowedTypes(context, parameter), text);
  return outsidePredicates(context, parameter, text);
}

/** Returns the types that a bare id may belong to: that of the modifier, or the targets of the parameter. */
export function allowedTypes(
  { definitions }: SearchTypeContext,
  { stored, modifier }: WrittenParameter,
): readonly string[] {
  if (modifier !== undefined) return [modifier];
  // R4B names no targets of Bundle.composition and Bundle.message.
  const targets = isEmbedded(definitions, stored) ? stored.valueTypes : stored.parameter.targets;
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

/** Returns the predicate of a reference with its declared type. */
export function typedPredicate(hasher: Hasher, number: number, type: string, target: TypedTarget): Predicate {
  const high = typedHash(hasher, type, target);
  return {
    index: 'token',
    parameter: number + ROW_SCHEME.typedReference,
    value: { high, low: hasher.low },
    system: 0,
  };
}

/**
 * Returns predicates for a url elsewhere, or a urn. A url with a type in it does not match a parameter for another
 * type.
 */
function outsidePredicates(
  { hasher }: SearchTypeContext,
  { stored }: WrittenParameter,
  text: string,
): Predicate[] {
  const namedType = parseReference(text).type;
  return stored.rowsOf.flatMap(({ number, targetType }): Predicate[] => {
    if (targetType !== undefined && namedType === undefined)
      return [typedPredicate(hasher, number, targetType, { address: text })];
    if (targetType !== undefined && namedType !== targetType) return [];
    const high = hasher.text(text);
    return [{ index: 'token', parameter: number, value: { high, low: hasher.low }, system: 0 }];
  });
}
