/** Reads the `path` of @slice, which defines the names of the slices. */
import {
  type ConstDirectiveNode,
  type DirectiveNode,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  isLeafType,
  Kind,
} from 'graphql';
import { canHaveValues, type FilterAllowance, isRelease, type Release } from '../../core/index';
import { sliceDirective } from '../../schema/directives';
import { fhirPlaceOf, releaseOf } from '../../schema/fhir-path-extension';
import { fieldsBelow } from './slice-fields';

export type SlicePath =
  | { readonly kind: 'index' }
  /** Names of nested fields; none: the element itself. */
  | { readonly kind: 'members'; readonly names: readonly string[] }
  /** FHIRPath on an element of this FHIR type. */
  | {
      readonly kind: 'expression';
      readonly release: Release;
      readonly place: string;
      readonly expression: string;
    };

const MEMBERS = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/;

/**
 * Returns the meaning of a path on elements of a type: the index, fields of the response, or FHIRPath. Undefined when
 * the FHIR type is unknown, or the path finds nothing. `allowance`: the budget of compilation.
 * Throws invalidValue for an invalid expression, and tooCostly beyond the allowance.
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
  const expression = { release, place, expression: text };
  return canHaveValues(expression, allowance) ? { kind: 'expression', ...expression } : undefined;
}

/** Limit on the steps of compiling the paths of one document: 20,000 characters, compiled twice. */
export const SLICE_COMPILING_STEPS = 200_000;

/** Returns the text of the argument; undefined when it is not a string literal. */
export function pathOf(directive: DirectiveNode | ConstDirectiveNode): string | undefined {
  const value = directive.arguments?.find(({ name }) => name.value === 'path')?.value;
  return value?.kind === Kind.STRING ? value.value : undefined;
}

export function sliceOf(field: FieldNode): DirectiveNode | undefined {
  return field.directives?.find(({ name }) => name.value === sliceDirective.name);
}
