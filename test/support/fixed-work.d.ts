/** Typical work of parsers and planners; returns the number of things that it found. */
export function fixedWork(): number;
/** Milliseconds of the fixed work on the reference. */
export const REFERENCE_MS: number;
