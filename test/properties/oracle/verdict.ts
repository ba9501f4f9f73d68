/** What comes of one search. `unclear`: the rules leave the answer open, so that it was not asked. */
export type Verdict = 'same' | 'unclear' | { readonly expected: string; readonly got: string };

export function difference(expected: string, got: string): Verdict {
  return { expected, got };
}
