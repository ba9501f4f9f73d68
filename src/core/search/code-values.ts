/** The codes of a resource beside the hashes that stand for them in token rows, for orders by codes. */
import type { Definitions, SearchParameterDefinition } from '../fhir/definitions';
import type { JsonObject } from '../fhir/json';
import { extensionValue } from './extract';
import type { Hasher } from './hash';
import { storedParameters } from './parameter';
import { compileParameterPath } from './parameter-path';
import type { ResourceKey } from './resource-key';
import { areMixed, markExact, visitCodes } from './rows/token';

/** Token rows in which each code of a parameter stands, and no other. */
export interface CodeRowsOf {
  /** The number of the rows. */
  readonly parameter: number;
  /** The codes of a resource, as it is sorted by them, and their hashes. */
  codesOf(resource: JsonObject): readonly { readonly code: string; readonly hash: ResourceKey }[];
}

/** Undefined where the codes stand in the rows of several parameters, or among other rows. Cost: some microseconds. */
export function codeRowsOf(
  definitions: Definitions,
  type: string,
  { code, kind }: SearchParameterDefinition,
  hasher: Hasher,
): CodeRowsOf | undefined {
  const stored = storedParameters(definitions, type);
  const [source, ...others] = stored.get(code)?.rowsOf ?? [];
  if (kind !== 'token' || source === undefined || others.length > 0 || source.targetType !== undefined)
    return undefined;
  const owner = [...stored.values()].find(({ parameter }) => parameter.number === source.number);
  if (owner?.parameter.kind !== 'token' || owner.parameter.expression === undefined) return undefined;
  const isMixed = areMixed(owner.valueTypes);
  const valuesOf = compileParameterPath(definitions, owner.parameter, owner.parameter.expression, {
    rootType: type,
  });
  return {
    parameter: source.number,
    codesOf: (resource) =>
      valuesOf(resource).flatMap((found) => {
        const codes: { code: string; hash: ResourceKey }[] = [];
        const inner = found.type === 'Extension' ? extensionValue(definitions, found) : found;
        if (inner !== undefined)
          visitCodes(inner.value, inner.type, inner.system, (_system, text, isExact) => {
            const high = hasher.text(isMixed && isExact ? markExact(text) : text);
            codes.push({ code: text, hash: { high, low: hasher.low } });
          });
        return codes;
      }),
  };
}
