import { shorten } from '../json/fault';

interface CodingName {
  readonly system?: string | undefined;
  readonly code?: string | undefined;
}

/** `http://loinc.org|8480-6`, shortened. */
function nameOf({ system, code }: CodingName): string {
  return shorten(`${system === undefined ? '' : `${system}|`}${code ?? ''}`);
}

/** The largest number of codings that a sentence names. */
const MAX_SHOWN = 2;

/** `'a|b' is not in …`, or `None of the 3 codings 'a|b', 'c|d' … is in …`. */
export function notIn(codings: readonly CodingName[], valueSetName: string): string {
  const [first] = codings;
  if (codings.length === 1 && first !== undefined) return `'${nameOf(first)}' is not in ${valueSetName}`;
  const shown = codings.slice(0, MAX_SHOWN).map((coding) => `'${nameOf(coding)}'`);
  const more = codings.length > MAX_SHOWN ? ' …' : '';
  return `None of the ${codings.length} codings ${shown.join(', ')}${more} is in ${valueSetName}`;
}

/** The name of a value set in a sentence. */
export function nameValueSet(canonical: string): string {
  return `the value set ${shorten(canonical)}`;
}
