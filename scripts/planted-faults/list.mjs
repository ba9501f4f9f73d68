/**
 * Faults that `npm test` must notice (`npm run test:planted`, scripts/planted-faults.mjs). Each has a name, the edits that
 * plant it, and the test files of which one must fail. The text of an edit must occur exactly once in its file, so that the list
 * follows the code.
 *
 * `behind`: a second defence that hides the fault is switched off too; the tests must pass while only that is off.
 * `title`: part of the title of the test that fails, where others of the file would take long or hang.
 * `error`: part of the message of the failing test, where no `expect` of it fails.
 */
import { HIDDEN } from './hidden.mjs';
import { LIMITS } from './limits.mjs';
import { RIGHTS } from './rights.mjs';
import { SIGN_IN } from './sign-in.mjs';
import { TENANTS } from './tenants.mjs';
import { WRITES } from './writes.mjs';

export const FAULTS = [...TENANTS, ...HIDDEN, ...RIGHTS, ...SIGN_IN, ...WRITES, ...LIMITS];
