import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import type { VersionReader } from '../../storage/read/version-read';
import type { VersionRow } from '../../storage/read/version-row';
import { rowOfId } from '../../versions/resource-address';
import type { PlannedWrite } from './planned-write';

/** Resources per statement. */
const AT_ONCE = 1000;
/** Maximum number of characters of all stored resources that one transaction replaces. */
const MOST_REPLACED = 256 * 1024 * 1024;

/**
 * The current versions of the resources of some writes, in their order, deletions included; undefined if there is none.
 * Throws `tooCostly` if they are too large together, and `memoryFull`. Cost: a statement for each thousand, and one for
 * each very long text.
 */
export async function readHeads(
  reader: VersionReader,
  { space, bytes }: RequestContext,
  writes: readonly PlannedWrite[],
): Promise<(VersionRow | undefined)[]> {
  const heads: (VersionRow | undefined)[] = [];
  let size = 0;
  for (let start = 0; start < writes.length; start += AT_ONCE) {
    const slice = writes.slice(start, start + AT_ONCE);
    const addresses = slice.map(({ typeNumber, key }) => ({ type: typeNumber, key }));
    const rows = await reader.readCurrent(space.number, addresses);
    for (const [place, row] of rows.entries()) {
      size += row === undefined ? 0 : (row.omittedBytes ?? row.body.length);
      if (size > MOST_REPLACED)
        throw fhirError('tooCostly', {
          reason:
            'The stored resources that the transaction changes are too large together; change fewer at once',
        });
      bytes?.coverReplaced(size);
      const whole = row === undefined ? undefined : await reader.complete(space.number, row);
      heads.push(rowOfId(whole, slice[place]?.id ?? ''));
    }
  }
  return heads;
}
