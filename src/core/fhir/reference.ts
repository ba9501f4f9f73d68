/** References: what a text names, what it means in a space, and where a resource holds such texts. */
export { checkReferences, collectReferences } from './reference/collection';
export { collectTargets, visitReferenceTexts, type LocalTarget } from './reference/targets';
export { parseReference, type LocalReference } from './reference/literal';
export { createReferenceResolver, type ReferenceResolver } from './reference/resolver';
