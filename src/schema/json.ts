/** A JSON value as the scalars take and give it; the same shape as core's. */
export type Json = string | number | boolean | null | Json[] | JsonObject;
export interface JsonObject {
  [name: string]: Json;
}

/**
 * Begins a string that stands for a number literal which JavaScript would change (`1.00`). The same sign as core's
 * DECIMAL_MARK (a test compares them): the schema knows no core.
 */
export const DECIMAL_MARK = '\u0001';

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
