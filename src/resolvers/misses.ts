import { type ErrorKey, FhirError } from '../core/index';

const MISSES: readonly ErrorKey[] = ['notFound', 'gone', 'versionNotFound'];

/** Returns undefined instead of an error for a miss, as HL7's binding does. */
export async function orNothing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (thrown) {
    if (thrown instanceof FhirError && MISSES.includes(thrown.key)) return undefined;
    throw thrown;
  }
}
