/**
 * The place for rules about single types that stand in the text of the specification and not in its definitions. They
 * are asked only about values whose structure is right, in full validation.
 */
import type { NativeRule } from './native-rules';

/** By type (`Attachment`), or path of a nested element (`Bundle.entry`). Adding a rule: one line. */
export const TYPE_RULES: ReadonlyMap<string, readonly NativeRule[]> = new Map<string, readonly NativeRule[]>(
  [],
);
