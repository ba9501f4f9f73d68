/** Extensions of questionnaires: those of SDC (http://hl7.org/fhir/uv/sdc/behavior.html) have had several urls. */
import type { JsonObject } from '../../json';
import { objectMember, objectsMember, stringMember } from '../../terminology/members';

/** Returns the first extension whose url ends with a name. */
export function findExtension(element: JsonObject, name: string): JsonObject | undefined {
  return objectsMember(element, 'extension').find(
    (extension) => stringMember(extension, 'url')?.endsWith(name) === true,
  );
}

/** True if the element has an extension whose url ends with `name`. */
export function hasExtension(element: JsonObject, name: string): boolean {
  return findExtension(element, name) !== undefined;
}

/** True if an expression gives the value of a primitive member, whatever the member itself says. */
export function isCalculated(element: JsonObject, member: string): boolean {
  const companion = objectMember(element, `_${member}`);
  if (companion === undefined) return false;
  return hasExtension(companion, '/cqf-expression') || hasExtension(companion, '/cqf-calculatedValue');
}
