/** Sort values of reference parameters, and the rows that hold them. */
import type { Definitions, SearchParameterDefinition } from '../../fhir/definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '../../fhir/json';
import type { PathValue } from '../../fhir/path';
import type { ReferenceResolver } from '../../fhir/reference';
import type { HashedText } from './code-values';
import type { Hasher } from '../rows/hash';
import { rowOwnersOf } from '../parameters/parameter';
import { compileParameterPath } from '../parameters/parameter-path';
import { keyOf, type ResourceKey } from '../rows/resource-key';
import { isOutside } from '../rows/reference';

/**
 * Returns `Type/id` for a resource in this space, however the reference is written; an address elsewhere as it is
 * written. Undefined for contained resources and for texts that are no address, which have no order. A canonical is
 * returned as it is written.
 */
export function sortedReference(
  { value, type }: PathValue,
  references: ReferenceResolver,
): string | undefined {
  const literal = literalOf(value, type);
  if (typeof literal !== 'string') return undefined;
  const local = references.local(literal);
  if (local !== undefined) return `${local.type}/${local.id}`;
  return typeof value === 'string' || isOutside(literal) ? literal : undefined;
}

function literalOf(value: JsonValue, type: string): JsonValue | undefined {
  const reference = isJsonObject(value) && type === 'CodeableReference' ? value['reference'] : value;
  return isJsonObject(reference) ? reference['reference'] : reference;
}

/** Rows that hold each reference of a parameter: by the key of a target, or by the hash of an address. */
export interface ReferenceRowsOf {
  /** The parameter number of the rows. */
  readonly parameter: number;
  /** Set where only references to this type count. */
  readonly targetType: string | undefined;
  /** Returns the references of a resource to resources of this space. */
  targetsOf(resource: JsonObject): readonly ReferenceTarget[];
  /** Returns the references to other addresses, and their hashes. */
  addressesOf(resource: JsonObject): readonly HashedText[];
}

export interface ReferenceTarget {
  readonly type: string;
  readonly id: string;
  readonly key: ResourceKey;
}

const WITH_ROWS: ReadonlySet<string> = new Set(['Reference', 'CodeableReference']);

/**
 * Returns undefined where some values are not References, because other rows hold canonicals. Cost: some microseconds.
 */
export function referenceRowsOf(
  definitions: Definitions,
  {
    type,
    searchParameterDefinition: { code, kind },
    hasher,
    references,
  }: {
    readonly type: string;
    readonly searchParameterDefinition: SearchParameterDefinition;
    readonly hasher: Hasher;
    readonly references: ReferenceResolver;
  },
): readonly ReferenceRowsOf[] | undefined {
  const owners = kind === 'reference' ? rowOwnersOf(definitions, type, code) : undefined;
  if (owners?.every(({ owner }) => owner.valueTypes.every((name) => WITH_ROWS.has(name))) !== true)
    return undefined;
  return owners.map(({ source, owner: { parameter } }): ReferenceRowsOf => {
    const valuesOf = compileParameterPath(definitions, parameter, parameter.expression ?? '', {
      rootType: type,
    });
    const literalsOf = (resource: JsonObject): string[] =>
      valuesOf(resource).flatMap((found) => {
        const literal = literalOf(found.value, found.type);
        return typeof literal === 'string' ? [literal] : [];
      });
    return {
      parameter: source.number,
      targetType: source.targetType,
      targetsOf: (resource) =>
        literalsOf(resource).flatMap((literal) => {
          const local = references.local(literal);
          return local === undefined ? [] : [{ ...local, key: keyOf(hasher, local.type, local.id) }];
        }),
      addressesOf: (resource) =>
        literalsOf(resource)
          .filter((literal) => references.local(literal) === undefined && isOutside(literal))
          .map((text) => {
            const high = hasher.text(text);
            return { text, hash: { high, low: hasher.low } };
          }),
    };
  });
}
