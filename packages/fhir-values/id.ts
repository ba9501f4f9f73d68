/** The text of an id (https://hl7.org/fhir/R4/datatypes.html#id), for patterns. */
export const ID = '[A-Za-z0-9.\\-]{1,64}';
const WHOLE_ID = new RegExp(`^${ID}$`);

/** True: the text is an id. */
export function isValidId(id: string): boolean {
  return WHOLE_ID.test(id);
}
