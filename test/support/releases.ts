import { RELEASE_NAMES, type Release } from '../../src/core/fhir/release';
import { IS_FULL } from './rounds';

/**
 * The releases for which a test file repeats its tests: R4, and with `ROUNDS=full` R4B too. Both run the same code,
 * so that only the files that compare the definitions of releases, which use `RELEASE_NAMES`, always run for both.
 */
export const TESTED_RELEASES: readonly Release[] = IS_FULL ? RELEASE_NAMES : ['r4'];
