import type { Definitions, ElementDefinition, TypeStructure } from '../definitions';
import { choiceSuffix } from '../../../../packages/fhir-values/choice-name';

/**
 * Returns the primitive or complex type of the element at a path of JSON members, from a resource or data type on. The
 * path has no indexes. Undefined if there is no such element, or if its content is that of another element
 * (contentReference).
 */
export function elementTypeAt(
  definitions: Definitions,
  typeName: string,
  members: readonly string[],
): string | undefined {
  let structure = definitions.structure(typeName);
  let path = '';
  let type: string | undefined = typeName;
  for (const member of members) {
    if (structure === undefined) return undefined;
    const found = findElement(structure, path, member);
    if (found === undefined) return undefined;
    const { element } = found;
    ({ type } = found);
    if (element.contentReference !== undefined) {
      const [name = '', ...nested] = element.contentReference.split('.');
      structure = definitions.structure(name);
      path = nested.join('.');
    } else if (structure.children(element.path).length > 0) {
      ({ path } = element);
    } else {
      structure = type === undefined ? undefined : definitions.structure(type);
      path = '';
    }
  }
  return type;
}

interface FoundElement {
  readonly element: ElementDefinition;
  readonly type: string | undefined;
}

/** `_birthDate` holds the id and extensions of the element `birthDate`. */
function findElement(structure: TypeStructure, path: string, member: string): FoundElement | undefined {
  const isCompanion = member.startsWith('_');
  const name = isCompanion ? member.slice(1) : member;
  for (const element of structure.children(path)) {
    if (element.isChoice) {
      if (!name.startsWith(element.name)) continue;
      const suffix = name.slice(element.name.length);
      const type = element.types.find(({ code }) => choiceSuffix(code) === suffix);
      if (type !== undefined) return { element, type: isCompanion ? 'Element' : type.code };
    } else if (element.name === name) {
      return { element, type: isCompanion ? 'Element' : element.types[0]?.code };
    }
  }
  return undefined;
}
