/** Recognizes codes of the systems that are too large to list. */
import type { WholeSystem } from '../definitions';
import { BUILT_IN_SYSTEMS, isComparable } from '../terminology/systems';

export interface CodeSyntax {
  isCode(code: string): boolean;
  /** A phrase that completes "needed is": `a media type such as 'text/plain'`. */
  readonly allowed: string;
}

/** Returns undefined for a system that is not built in. */
export function codeSyntax({ system, unit }: WholeSystem): CodeSyntax | undefined {
  if (unit === undefined) return BUILT_IN_SYSTEMS.get(system);
  return {
    isCode: (code) => isComparable(code, unit),
    allowed: `a UCUM unit that can be converted into '${unit}'`,
  };
}
