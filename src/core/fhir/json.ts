/**
 * JSON whose decimals keep their digits. `parseJson` gives ordinary objects in which a number literal that JavaScript
 * would change (`1.00`, 1e400, 20 digits) stands as a string of U+0001 and the literal ("marked"); `stringifyJson`
 * writes the literal back. FHIR strings cannot hold U+0001, and parseJson refuses it in input, so a marked decimal
 * cannot be confused with a string.
 */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

export interface JsonDocument {
  readonly value: JsonValue;
  /** True when at least one decimal is marked; false lets stringify skip its second pass. */
  readonly marked: boolean;
}

export const DECIMAL_MARK = '\u0001';
