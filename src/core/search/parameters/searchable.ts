import type { Definitions, SearchParameterKind } from '../../fhir/definitions';
import { COMPUTED_PARAMETERS } from '../criteria';
import { groupKindOf, type GroupKind } from '../requests/grouping';
import { hasNumbers } from '../values/number-values';
import { storedParameters } from './parameter';
import { searchTypeOf } from '../types';
import { EXPRESSION_PARAMETERS } from '../../../../packages/fhir-values/search-name';

/** A search parameter that is supported for the resources of a type. */
export interface SearchableParameter {
  readonly code: string;
  readonly kind: SearchParameterKind;
  /** Absent for a parameter that the release defines in prose only (search.html#all). */
  readonly url?: string;
  /** Resource types that a reference parameter may refer to; nearly all of them where it may refer to any. */
  readonly targets: readonly string[];
  /** True: its value is an expression with its own grammar, in which commas do not separate alternatives. */
  readonly isExpression: boolean;
  /** The kind of values that resources can be counted by, or whose statistics can be made; absent: neither. */
  readonly groupKind?: GroupKind | 'number';
}

/** Returns the parameters that a search of the type supports, sorted by code. Cost: one pass over those of the type. */
export function searchableParameters(definitions: Definitions, type: string): readonly SearchableParameter[] {
  const stored = storedParameters(definitions, type);
  const works = [...stored.values()].filter((one) => searchTypeOf(one) !== undefined);
  // R4 defines some parameters, which the server supports for every type, in prose only (search.html#all).
  const computed = COMPUTED_PARAMETERS.map(
    (code): Omit<SearchableParameter, 'isExpression'> =>
      definitions.searchParameters(type).get(code) ?? { code, kind: 'special', targets: [] },
  );
  return [...computed, ...works.map(({ parameter }) => parameter)]
    .map(({ code, kind, url, targets }): SearchableParameter => {
      const one = stored.get(code);
      const groupKind = one && (groupKindOf(one) ?? (hasNumbers(one) ? 'number' : undefined));
      return {
        code,
        kind,
        url,
        targets,
        isExpression: EXPRESSION_PARAMETERS.has(code),
        ...(groupKind === undefined ? {} : { groupKind }),
      };
    })
    .sort((a, b) => (a.code < b.code ? -1 : 1));
}
