import { type ErrorKey, FhirError } from '../core/index';

const MISSES: readonly ErrorKey[] = ['notFound', 'gone', 'versionNotFound'];

/** A miss is an answer: undefined without an error, as in HL7's binding. */
export async function orNothing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (thrown) {
    if (thrown instanceof FhirError && MISSES.includes(thrown.key)) return undefined;
    throw thrown;
  }
}
