import type { Database } from '../storage/connection/database';
import { cutToBytes, readFeedOf } from '../storage/read/feed';
import type { PageRow } from '../storage/read/version-row';

/** Changes that one statement reads. */
const PAGE = 200;

/** Some changes of a space, in their order. */
export interface ChangesRead {
  readonly rows: readonly PageRow[];
  /** True: there may be more. */
  readonly isMore: boolean;
}

/**
 * Reads the changes of a space after a version-sequence, for all that follow them: those of other types than `types` have
 * an empty text; undefined: all types. Cost: one statement, and at most a page of texts.
 */
export async function readChanges(
  database: Database,
  space: number,
  { types, since }: { readonly types: ReadonlySet<number> | undefined; readonly since: number },
): Promise<ChangesRead> {
  const read = await readFeedOf(database, space, { types, since, limit: PAGE });
  const rows = cutToBytes(read);
  return { rows, isMore: read.length === PAGE || rows.length < read.length };
}
