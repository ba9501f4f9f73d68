/** References: how to parse them, resolve them in a space, and find them in a resource. */
export { checkReferences, collectReferences } from './reference/collection';
export { collectTargets, visitReferenceTexts, type LocalTarget } from './reference/targets';
export type { LocalReference } from '../../../packages/fhir-values/reference';
export { parseReference } from './reference/literal';
export { createReferenceResolver, type ReferenceResolver } from './reference/resolver';
