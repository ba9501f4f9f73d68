/**
 * String rows: the folded text, with a hash of the original text for `:exact`. HumanName and Address give a row for
 * each of their parts, and a family name one more for each further word.
 * Source: https://hl7.org/fhir/R4/search.html#string
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../fhir/json';
import type { PathValue } from '../../fhir/path';
import { foldForIndex, furtherWords, isLongerThanIndex } from './fold';
import { ROW_SCHEME } from './index-rows';
import type { RowCollector, RowSettings } from './collector';

/** Visits a text of a value; `isFamily`: it is a family name. */
export type VisitText = (text: string, isFamily: boolean) => void;

const NAME_PARTS = ['text', 'given', 'prefix', 'suffix'];
const ADDRESS_PARTS = ['text', 'line', 'city', 'district', 'state', 'postalCode', 'country'];

/** Adds the rows of one value of a string parameter. `isFamily`: the parameter selects family names alone. */
export function addStringRows(
  { value, type }: PathValue,
  {
    parameter,
    isFamily,
    rowSettings: { hasher },
    rows,
  }: {
    readonly parameter: number;
    readonly isFamily: boolean;
    readonly rowSettings: RowSettings;
    readonly rows: RowCollector;
  },
): void {
  visitTexts(value, type, isFamily, (text, isFamilyName) => {
    const folded = foldForIndex(text);
    const exact = hasher.short(text);
    rows.string(parameter, folded, exact, true);
    if (isLongerThanIndex(text, folded)) rows.string(parameter + ROW_SCHEME.longText, '', 0, false);
    if (isFamilyName) for (const word of furtherWords(folded)) rows.string(parameter, word, exact, false);
  });
}

/** Visits the texts of a value of a string parameter or composite part; values of a wrong shape have none. */
export function visitTexts(value: JsonValue, type: string, isFamily: boolean, visit: VisitText): void {
  if (typeof value === 'string') {
    visitPart(value, isFamily, visit);
  } else if (isJsonObject(value)) {
    if (type === 'HumanName') {
      visitPart(value['family'], true, visit);
      visitParts(value, NAME_PARTS, visit);
    } else if (type === 'Address') {
      visitParts(value, ADDRESS_PARTS, visit);
    } else if (type === 'CodeableConcept' || type === 'Annotation') {
      visitPart(value['text'], false, visit);
    }
  }
}

function visitParts(value: JsonObject, names: readonly string[], visit: VisitText): void {
  for (const name of names) {
    const part = value[name];
    if (Array.isArray(part)) for (const element of part) visitPart(element, false, visit);
    else visitPart(part, false, visit);
  }
}

function visitPart(part: JsonValue | undefined, isFamily: boolean, visit: VisitText): void {
  // A marked decimal is not a string.
  if (typeof part === 'string' && part.length > 0 && part.charCodeAt(0) !== 1) visit(part, isFamily);
}
