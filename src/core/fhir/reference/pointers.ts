import type { JsonObject, JsonValue } from '../json';
import type { LocalReference } from '../../../../packages/fhir-values/reference';
import type { ReferenceResolver } from './resolver';

/**
 * Returns the resources of the space that a resource points to, each once, in the order of the text: by references, in
 * contained resources and extensions too, and by the urls of attachments. Ignores versions. Cost: one traversal.
 */
export function pointersOf(resource: JsonObject, resolver: ReferenceResolver): LocalReference[] {
  const found = new Map<string, LocalReference>();
  visit(resource, '', (text) => {
    const local = resolver.local(text);
    if (local === undefined) return;
    const { type, id } = local;
    const name = `${type}/${id}`;
    if (!found.has(name)) found.set(name, { type, id });
  });
  return [...found.values()];
}

/** Elements whose url is not a pointer: it identifies the definition of the extension. */
const EXTENSIONS: ReadonlySet<string> = new Set(['extension', 'modifierExtension']);

function visit(value: JsonValue, name: string, take: (text: string) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const element of value) visit(element, name, take);
    return;
  }
  for (const member in value) {
    const inner = value[member];
    if (typeof inner === 'string') {
      if (member === 'reference' || (member === 'url' && !EXTENSIONS.has(name))) take(inner);
    } else if (inner !== undefined) {
      visit(inner, member, take);
    }
  }
}
