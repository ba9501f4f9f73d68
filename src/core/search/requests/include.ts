import { fhirError } from '../../errors';
import { didYouMean, suggestName } from '../../../../packages/fhir-values/closest-name';
import type { Definitions, SearchParameterDefinition } from '../../fhir/definitions';
import { parseIterate } from '../modifiers/iterate';
import { storedParameters } from '../parameters/parameter';

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
 * Parses `Type:parameter`, `Type:parameter:TargetType` or `Type:*`, and `*`: for `_include` all references of the
 * searched type, for `_revinclude` those of all types, with an include for each. Throws invalidParameterValue,
 * unsupportedModifier.
 */
export function parseInclude(
  definitions: Definitions,
  searchedType: string,
  name: string,
  value: string,
): readonly Include[] {
  const [, kind = '', modifier] = NAME.exec(name) ?? [];
  const iterates = parseIterate(kind, modifier);
  const refuse = (reason: string): Error =>
    fhirError('invalidParameterValue', { parameter: kind, value: value.slice(0, 80), reason });
  const noType = (type: string): string =>
    `'${type.slice(0, 40)}' is not a resource type${didYouMean(type, definitions.resourceTypes)}`;
  const isReverse = kind === '_revinclude';
  if (value === '*' && isReverse)
    return definitions.resourceTypes.flatMap((source) => {
      const parameters = referenceParameters(definitions, source);
      return parameters.length === 0
        ? []
        : [{ source, parameters, targetType: undefined, isReverse, iterates }];
    });
  const [source = '', code = '', targetType, ...rest] =
    value === '*' ? [searchedType, '*'] : value.split(':');
  if (code === '' || rest.length > 0)
    throw refuse('it must be Type:parameter, Type:parameter:TargetType, Type:* or *');
  if (!definitions.isResourceType(source)) throw refuse(noType(source));
  if (targetType !== undefined && !definitions.isResourceType(targetType)) throw refuse(noType(targetType));
  const all = referenceParameters(definitions, source);
  const parameters = code === '*' ? all : all.filter((parameter) => parameter.code === code);
  if (parameters.length === 0 && code !== '*') {
    const codes = all.map((parameter) => parameter.code);
    const listed = codes.length === 0 ? 'none' : codes.join(', ');
    throw refuse(suggestName(code, codes, `reference parameters of ${source} are ${listed}`));
  }
  return [{ source, parameters, targetType, isReverse, iterates }];
}

/** The reference parameters of a type that can be followed. */
export function referenceParameters(
  definitions: Definitions,
  type: string,
): readonly SearchParameterDefinition[] {
  return [...storedParameters(definitions, type).values()]
    .filter(({ parameter, storage }) => parameter.kind === 'reference' && storage !== 'none')
    .map(({ parameter }) => parameter);
}
