/** The `path` of @slice: what the names of the slices are made of. */
import { Kind, type ConstDirectiveNode, type DirectiveNode, type FieldNode } from 'graphql';
import { sliceDirective } from '../../schema/directives';

export type SlicePath =
  | { readonly kind: 'index' }
  /** Names of fields, one below the other; none: the element itself. */
  | { readonly kind: 'members'; readonly names: readonly string[] };

const MEMBERS = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/;

/** Undefined where the text is no such path. */
export function parseSlicePath(text: string): SlicePath | undefined {
  if (text === '$index') return { kind: 'index' };
  if (text === '$this') return { kind: 'members', names: [] };
  return MEMBERS.test(text) ? { kind: 'members', names: text.split('.') } : undefined;
}

/** The text of the argument; undefined where it is no literal. */
export function pathOf(directive: DirectiveNode | ConstDirectiveNode): string | undefined {
  const value = directive.arguments?.find(({ name }) => name.value === 'path')?.value;
  return value?.kind === Kind.STRING ? value.value : undefined;
}

export function sliceOf(field: FieldNode): DirectiveNode | undefined {
  return field.directives?.find(({ name }) => name.value === sliceDirective.name);
}
