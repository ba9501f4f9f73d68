/**
 * A time limit for what no test is about: jest ends a test that hangs much earlier (testTimeout), and no machine is so slow that
 * what works reaches it.
 */
export const PATIENCE_MS = 3_600_000;

/** A deadline of that kind, from now on. */
export const patientDeadline = (): number => Date.now() + PATIENCE_MS;
