/** The `path` of @slice: what the names of the slices are made of. */
import {
  type ConstDirectiveNode,
  type DirectiveNode,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  isLeafType,
  Kind,
} from 'graphql';
import { type FilterAllowance, isRelease, mayGiveValues, type Release } from '../../core/index';
import { sliceDirective } from '../../schema/directives';
import { fhirPlaceOf, releaseOf } from '../../schema/places';
import { fieldsBelow } from './slice-fields';

export type SlicePath =
  | { readonly kind: 'index' }
  /** Names of fields, one below the other; none: the element itself. */
  | { readonly kind: 'members'; readonly names: readonly string[] }
  /** FHIRPath on an element of this place. */
  | {
      readonly kind: 'expression';
      readonly release: Release;
      readonly place: string;
      readonly expression: string;
    };

const MEMBERS = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/;

/**
 * What a path means on elements of a type: the position, fields of the answer, else FHIRPath. Undefined where that is not
 * known of the type, or finds nothing. `allowance`: the budget of compiling. Throws invalidValue for what is no expression;
 * tooCostly beyond the allowance.
 */
export function slicePathOf(
  schema: GraphQLSchema,
  type: GraphQLNamedType,
  text: string,
  allowance: FilterAllowance,
): SlicePath | undefined {
  if (text === '$index') return { kind: 'index' };
  if (text === '$this' && isLeafType(type)) return { kind: 'members', names: [] };
  const names = MEMBERS.test(text) ? text.split('.') : undefined;
  if (names !== undefined && fieldsBelow(type, names) !== undefined) return { kind: 'members', names };
  const [release, place] = [releaseOf(schema), fhirPlaceOf(type)];
  if (release === undefined || !isRelease(release) || place === undefined) return undefined;
  return mayGiveValues(release, place, text, allowance)
    ? { kind: 'expression', release, place, expression: text }
    : undefined;
}

/** Steps of compiling the paths of one document: 20,000 characters, compiled twice. */
export const SLICE_COMPILING_STEPS = 200_000;

/** The text of the argument; undefined where it is no literal. */
export function pathOf(directive: DirectiveNode | ConstDirectiveNode): string | undefined {
  const value = directive.arguments?.find(({ name }) => name.value === 'path')?.value;
  return value?.kind === Kind.STRING ? value.value : undefined;
}

export function sliceOf(field: FieldNode): DirectiveNode | undefined {
  return field.directives?.find(({ name }) => name.value === sliceDirective.name);
}
