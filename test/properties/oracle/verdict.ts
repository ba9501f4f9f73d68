/** The outcome of one search. `unclear`: the rules do not define the answer, so that it was not sent. */
export type Verdict = 'same' | 'unclear' | { readonly expected: string; readonly got: string };

export function difference(expected: string, got: string): Verdict {
  return { expected, got };
}
