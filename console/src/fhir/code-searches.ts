/** The searches that find where a code is used. */
import { escapeValue } from '../../../packages/fhir-values/search-value';
import type { Capabilities } from './capabilities';

export interface Coded {
  readonly system: string;
  readonly code: string;
  /** Also resources with a code below it. */
  readonly isBelow: boolean;
}

/** A search for a code by one parameter. */
export interface CodeSearch {
  readonly type: string;
  readonly parameter: string;
  /** The query of the search. */
  readonly query: string;
}

/** The searches for a code in these types. Parameters of all types, such as tags, begin with `_` and are left out. */
export function searchesFor(
  capabilities: Capabilities,
  types: readonly string[],
  { system, code, isBelow }: Coded,
): readonly CodeSearch[] {
  const value = encodeURIComponent(`${escapeValue(system)}|${escapeValue(code)}`);
  return types.flatMap((type) =>
    (capabilities.get(type)?.parameters ?? [])
      .filter((parameter) => parameter.type === 'token' && !parameter.code.startsWith('_'))
      .map((parameter) => {
        const query = `${parameter.code}${isBelow ? ':below' : ''}=${value}`;
        return { type, parameter: parameter.code, query };
      }),
  );
}
