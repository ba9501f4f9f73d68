/** Types and parameters of canonicals, derived from the definitions. */
import type { Definitions, SearchParameterDefinition } from '../../fhir/definitions';
import type { StoredParameter } from './parameter';
import { elementTargetsOf } from './value-types';

/** True when the values of the parameter are canonicals, whose rows consist of a url and a version. */
export function isCanonicalValued({ valueTypes }: StoredParameter): boolean {
  return valueTypes.includes('canonical');
}

/** True for `url` of a type whose resources have a `version`; its rows hold both. */
export function isCanonicalUrl(
  definitions: Definitions,
  { kind, type, expression }: SearchParameterDefinition,
): boolean {
  return (
    kind === 'uri' &&
    expression === `${type}.url` &&
    definitions.structure(type)?.element('version') !== undefined
  );
}

const allowed = new WeakMap<SearchParameterDefinition, readonly string[]>();

/** Returns the types with a url that a canonical of this parameter may refer to. */
export function allowedCanonicalTypes(
  definitions: Definitions,
  { parameter }: StoredParameter,
): readonly string[] {
  let types = allowed.get(parameter);
  if (types === undefined) {
    const { targets, expression = '' } = parameter;
    const named =
      targets.length > 0
        ? targets
        : expression.split('|').flatMap((branch) => elementTargetsOf(definitions, branch.trim()));
    types = [...new Set(named)].filter(
      (type) => definitions.isResourceType(type) && definitions.structure(type)?.element('url') !== undefined,
    );
    allowed.set(parameter, types);
  }
  return types;
}
