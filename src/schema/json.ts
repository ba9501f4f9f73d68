/** A JSON value in the form of the scalars; the same shape as core's. */
export type Json = string | number | boolean | null | Json[] | JsonObject;
export interface JsonObject {
  [name: string]: Json;
}

/**
 * Begins a string that represents a number literal which JavaScript would change (`1.00`). It is the same character as
 * core's DECIMAL_MARK, and a test compares them: the schema does not import core.
 */
export const DECIMAL_MARK = '\u0001';

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
