/** References: what a text names, what it means in a space, and where a resource holds such texts. */
export { checkReferences, collectReferences, type CollectedReference } from './reference/collection';
export {
  parseReference,
  type LocalReference,
  type ParsedReference,
  type ReferenceKind,
} from './reference/literal';
export { createReferenceResolver, type ReferenceResolver, type ResolverOptions } from './reference/resolver';
