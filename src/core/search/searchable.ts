import type { Definitions, SearchParameterKind } from '../fhir/definitions';
import { COMPUTED_PARAMETERS } from './criteria';
import { groupKindOf, type GroupKind } from './grouping';
import { storedParameters } from './parameter';
import { searchTypeOf } from './types';

/** A search parameter that resources of a type can be searched by. */
export interface SearchableParameter {
  readonly code: string;
  readonly kind: SearchParameterKind;
  /** Absent where the release has it in words alone (search.html#all). */
  readonly url?: string;
  /** Resource types that a reference parameter may point to; nearly all of them where it may point to any. */
  readonly targets: readonly string[];
  /** True: its value is an expression with a grammar of its own, in which commas do not part alternatives. */
  readonly isExpression: boolean;
  /** As what resources can be counted by its values; absent: they cannot. */
  readonly groupKind?: GroupKind;
}

const EXPRESSIONS: ReadonlySet<string> = new Set(['_filter', '_text', '_content']);

/** The parameters that a search of the type understands, sorted by code. Cost: a walk over those of the type. */
export function searchableParameters(definitions: Definitions, type: string): readonly SearchableParameter[] {
  const stored = storedParameters(definitions, type);
  const works = [...stored.values()].filter((one) => searchTypeOf(one) !== undefined);
  // R4 defines some that the server answers for every type in words alone (search.html#all).
  const computed = COMPUTED_PARAMETERS.map(
    (code): Omit<SearchableParameter, 'isExpression'> =>
      definitions.searchParameters(type).get(code) ?? { code, kind: 'special', targets: [] },
  );
  return [...computed, ...works.map(({ parameter }) => parameter)]
    .map(({ code, kind, url, targets }) => {
      const one = stored.get(code);
      const groupKind = one && groupKindOf(one);
      return {
        code,
        kind,
        url,
        targets,
        isExpression: EXPRESSIONS.has(code),
        ...(groupKind === undefined ? {} : { groupKind }),
      };
    })
    .sort((a, b) => (a.code < b.code ? -1 : 1));
}
