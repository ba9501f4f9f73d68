/** Codes of a resource with their hashes in token rows, for sorting by codes. */
import type { Definitions, SearchParameterDefinition } from '../../fhir/definitions';
import type { JsonObject } from '../../fhir/json';
import { extensionValue } from '../parameters/extension-value';
import type { Hasher } from '../rows/hash';
import { rowOwnersOf } from '../parameters/parameter';
import { compileParameterPath } from '../parameters/parameter-path';
import type { ResourceKey } from '../rows/resource-key';
import { areMixed, markExact, visitCodes } from '../rows/token';

/** A text of a resource, and its hash in token rows. */
export interface HashedText {
  readonly text: string;
  readonly hash: ResourceKey;
}

/** Token rows that hold each code of a parameter, and nothing else. */
export interface CodeRowsOf {
  /** The parameter number of the rows. */
  readonly parameter: number;
  /** Returns the codes of a resource that it is sorted by, and their hashes. */
  codesOf(resource: JsonObject): readonly HashedText[];
}

/** Returns undefined where rows of another kind hold the codes. Cost: some microseconds. */
export function codeRowsOf(
  definitions: Definitions,
  type: string,
  { code, kind }: SearchParameterDefinition,
  hasher: Hasher,
): readonly CodeRowsOf[] | undefined {
  if (kind !== 'token') return undefined;
  return rowOwnersOf(definitions, type, code)?.map(({ source, owner }): CodeRowsOf => {
    const { parameter } = owner;
    const isMixed = areMixed(owner.valueTypes);
    const valuesOf = compileParameterPath(definitions, parameter, parameter.expression ?? '', {
      rootType: type,
    });
    return {
      parameter: source.number,
      codesOf: (resource) =>
        valuesOf(resource).flatMap((found) => {
          const codes: HashedText[] = [];
          const inner = found.type === 'Extension' ? extensionValue(definitions, found) : found;
          if (inner !== undefined)
            visitCodes(inner.value, inner.type, inner.system, (_system, text, isExact) => {
              const high = hasher.text(isMixed && isExact ? markExact(text) : text);
              codes.push({ text, hash: { high, low: hasher.low } });
            });
          return codes;
        }),
    };
  });
}
