/** The record of a Group in parts of some members each, so that a statement has few targets and a page few statements. */
import { RECORD_LIMITS } from './record-limits';

/** Members whose records are read together: those with ids behind `from`, up to `to`, in the order of their characters. */
export interface RecordPart {
  /** Empty: from the first one on. */
  readonly from: string;
  readonly to: string;
}

export interface MembersOfPart extends RecordPart {
  readonly ids: readonly string[];
}

/**
 * Divides the members from `start` on into the parts of one page, which are further ones than that of `start`. The bounds of `start` stay as they were when it was begun, so that
 * no resource comes twice because another member has come or gone. There is a first part even if there are no members.
 */
export function partsOf(
  members: readonly string[],
  start: RecordPart | undefined,
): { readonly parts: readonly MembersOfPart[]; readonly hasMore: boolean } {
  const sorted = [...members].sort();
  const parts: MembersOfPart[] = [];
  if (start !== undefined) parts.push({ ...start, ids: sorted.filter((id) => isIn(start, id)) });
  let from = start?.to ?? '';
  let left = sorted.filter((id) => id > from);
  const most = parts.length + RECORD_LIMITS.parts;
  while (parts.length < most && (left.length > 0 || parts.length === 0)) {
    const ids = left.slice(0, RECORD_LIMITS.members);
    left = left.slice(RECORD_LIMITS.members);
    const to = ids.at(-1) ?? from;
    parts.push({ from, to, ids });
    from = to;
  }
  return { parts, hasMore: left.length > 0 };
}

export function isIn({ from, to }: RecordPart, id: string): boolean {
  return id > from && id <= to;
}
