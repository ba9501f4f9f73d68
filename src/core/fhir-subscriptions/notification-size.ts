/** Limits on one notification, and on one answer of `$events`. */

/** Events where the Subscription does not say. */
export const DEFAULT_EVENTS = 50;
export const MOST_EVENTS = 500;
/** Characters of resources after which no further event is read. */
export const MOST_TEXT = 1_000_000;
