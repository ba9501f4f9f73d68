import { fhirError } from '../errors';
import type { Definitions, SearchParameterDefinition } from '../fhir/definitions';
import { parseIterate } from './modifiers/iterate';
import { storedParameters } from './parameter';

/** One `_include` or `_revinclude` (search.html#include). */
export interface Include {
  /** The type of the referring resources. */
  readonly source: string;
  /** Its reference parameters that are followed; several for `*`. */
  readonly parameters: readonly SearchParameterDefinition[];
  /** Undefined: any type. */
  readonly targetType: string | undefined;
  /** True for `_revinclude`: resources of the source type are added. */
  readonly isReverse: boolean;
  /** True for `:iterate`: the include also applies to included resources. */
  readonly iterates: boolean;
}

const NAME = /^(_include|_revinclude)(?::(\w+))?$/;

/** True for the names of these two parameters, with any modifier. */
export function isInclude(name: string): boolean {
  return NAME.test(name);
}

/**
 * Parses `Type:parameter`, `Type:parameter:TargetType`, `Type:*`, or `*` for all references of the searched type.
 * Throws invalidParameterValue, unsupportedModifier.
 */
export function parseInclude(
  definitions: Definitions,
  searchedType: string,
  name: string,
  value: string,
): Include {
  const [, kind = '', modifier] = NAME.exec(name) ?? [];
  const iterates = parseIterate(kind, modifier);
  const refuse = (reason: string): Error =>
    fhirError('invalidParameterValue', { parameter: kind, value: value.slice(0, 80), reason });
  const isReverse = kind === '_revinclude';
  const [source = '', code = '', targetType, ...rest] =
    value === '*' && !isReverse ? [searchedType, '*'] : value.split(':');
  if (code === '' || rest.length > 0)
    throw refuse('it is Type:parameter, Type:parameter:TargetType or Type:*');
  if (!definitions.isResourceType(source)) throw refuse(`'${source.slice(0, 40)}' is not a resource type`);
  if (targetType !== undefined && !definitions.isResourceType(targetType))
    throw refuse(`'${targetType.slice(0, 40)}' is not a resource type`);
  const references = [...storedParameters(definitions, source).values()]
    .filter(({ parameter, storage }) => parameter.kind === 'reference' && storage !== 'none')
    .map(({ parameter }) => parameter);
  const parameters = code === '*' ? references : references.filter((parameter) => parameter.code === code);
  if (parameters.length === 0 && code !== '*') {
    const codes = references.map((parameter) => parameter.code).join(', ');
    throw refuse(`reference parameters of ${source} are ${codes === '' ? 'none' : codes}`);
  }
  return { source, parameters, targetType, isReverse, iterates };
}
