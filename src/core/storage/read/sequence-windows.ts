import { sql } from 'kysely';
import type { Run } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';

/** Version-sequences that one statement scans. */
const WINDOW = 20_000;

const NEXT = defineStatement(
  template(sql`
    select v.sequence::bigint from andiron.resource_version v
    where v.space = ${bind('space')}::int and v.sequence > ${bind('after')}::bigint
    order by v.sequence limit 1`),
);
const PREVIOUS = defineStatement(
  template(sql`
    select v.sequence::bigint from andiron.resource_version v
    where v.space = ${bind('space')}::int and v.sequence <= ${bind('to')}::bigint
    order by v.sequence desc limit 1`),
);

/** Version-sequences above `after`, up to `to`. */
export interface SequenceWindow {
  readonly after: number;
  readonly to: number;
}

/**
 * Yields windows that have all versions of a space in a range, in their order. Sequences without versions, of which a tenant that was
 * imported can have billions, are skipped. Cost: one index probe for each.
 */
export async function* sequenceWindows(
  run: Run,
  space: number,
  { after, to }: SequenceWindow,
): AsyncGenerator<SequenceWindow> {
  for (let reached = after; reached < to;) {
    const [row] = await run(NEXT, { space, after: reached });
    if (row === undefined) return;
    // A session of the owner reads 64 bits as text.
    const first = Number(row[0]);
    if (first > to) return;
    const window = { after: first - 1, to: Math.min(to, first - 1 + WINDOW) };
    yield window;
    reached = window.to;
  }
}

/** As `sequenceWindows`, the last window first. */
export async function* sequenceWindowsBack(
  run: Run,
  space: number,
  { after, to }: SequenceWindow,
): AsyncGenerator<SequenceWindow> {
  for (let reached = to; reached > after;) {
    const [row] = await run(PREVIOUS, { space, to: reached });
    if (row === undefined) return;
    const last = Number(row[0]);
    if (last <= after) return;
    const window = { after: Math.max(after, last - WINDOW), to: last };
    yield window;
    reached = window.after;
  }
}
