import { RELEASE_NAMES, type Release } from '../../src/core/fhir/release';
import { IS_FULL } from './rounds';

/**
 * The releases that a test file repeats its tests for: R4, and with `ROUNDS=full` R4B too. Both run the same code, so
 * that only the files that compare what the releases define, which use `RELEASE_NAMES`, always run for both.
 */
export const TESTED_RELEASES: readonly Release[] = IS_FULL ? RELEASE_NAMES : ['r4'];
