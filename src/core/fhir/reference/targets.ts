import type { JsonObject, JsonValue } from '../json';
import { toExpression } from '../json/fault';
import type { LocalReference } from '../../../../packages/fhir-values/reference';
import type { ReferenceResolver } from './resolver';

/** A resource of the space that another one refers to. */
export interface LocalTarget extends LocalReference {
  /** FHIRPath of the text that refers to it. */
  readonly expression: string;
}

/**
 * Returns the resources of its own space that a resource refers to by literal references (references.html#literal), in
 * contained resources and extensions too. Omits the references of other nested resources, such as the entries of a
 * Bundle, because their targets may be in the Bundle (bundle.html#references). Cost: one traversal.
 */
export function collectTargets(resource: JsonObject, resolver: ReferenceResolver): LocalTarget[] {
  const found: LocalTarget[] = [];
  visitOwnReferences(resource, (text, expression) => {
    const target = resolver.local(text);
    if (target !== undefined) found.push({ ...target, expression: expression() });
  });
  return found;
}

/** Calls `take` with each text that `collectTargets` resolves, and with a function that returns its FHIRPath. */
export function visitOwnReferences(
  resource: JsonObject,
  take: (text: string, expression: () => string) => void,
): void {
  const { resourceType } = resource;
  const root = typeof resourceType === 'string' ? resourceType : '';
  const path: (string | number)[] = [];
  const visit = (name: string, value: JsonValue): void => {
    if (typeof value === 'string') {
      if (name === 'reference') take(value, () => toExpression(root, path));
    } else if (Array.isArray(value)) {
      value.forEach((element, index) => {
        path.push(index);
        visit(name, element);
        path.pop();
      });
    } else if (typeof value === 'object' && value !== null) {
      if (typeof value['resourceType'] === 'string' && name !== 'contained') return;
      visitMembers(value);
    }
  };
  const visitMembers = (object: JsonObject): void => {
    for (const name in object) {
      path.push(name);
      visit(name, object[name] ?? null);
      path.pop();
    }
  };
  visitMembers(resource);
}

/** Calls `visit` with each text that `collectTargets` resolves. Cost: one traversal, about 1 µs. */
export function visitReferenceTexts(resource: JsonObject, visit: (text: string) => void): void {
  for (const name in resource) visitValue(name, resource[name] ?? null, visit);
}

function visitValue(name: string, value: JsonValue, visit: (text: string) => void): void {
  if (typeof value === 'string') {
    if (name === 'reference') visit(value);
  } else if (typeof value === 'object' && value !== null) {
    if (Array.isArray(value)) for (const element of value) visitValue(name, element, visit);
    else if (name === 'contained' || typeof value['resourceType'] !== 'string')
      visitReferenceTexts(value, visit);
  }
}
