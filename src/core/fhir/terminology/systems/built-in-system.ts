/** A code system whose codes follow from a grammar or a public register, so that no CodeSystem resource lists them. */
export interface BuiltInSystem {
  readonly url: string;
  /** A phrase that completes "needed is": `a media type such as 'text/plain'`. */
  readonly allowed: string;
  isCode(code: string): boolean;
  /** Returns all codes; absent where a grammar allows too many to list. */
  codes?(): readonly string[];
  /** True if `codes` leaves some out. */
  readonly isPartlyListed?: boolean;
  /** Returns the English name of a code, one of several that are right. */
  display?(code: string): string | undefined;
  /** Returns the filter `property = value` of a value set; undefined for an unknown property. */
  filter?(property: string, value: string): ((code: string) => boolean) | undefined;
}

/** No real code is longer, and the expressions of these systems need a bounded string. */
export const MAX_CODE_LENGTH = 255;

/** Returns a function that names codes in English by Unicode CLDR, which Node contains. */
export function englishNames(type: 'language' | 'region' | 'currency'): (code: string) => string | undefined {
  const names = new Intl.DisplayNames('en', { type, fallback: 'none' });
  return (code) => {
    try {
      return names.of(code);
    } catch {
      // RangeError: CLDR does not allow the form of this code.
      return undefined;
    }
  };
}
