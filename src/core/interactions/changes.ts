import type { StoredVersion } from '../api';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import type { Services } from '../services';
import { readFeed } from '../storage/feed';
import { SeenVersions } from './seen-versions';
import { toStoredVersion } from './stored-version';

const MAX_CHANGES = 1000;

/**
 * The changes of the space after a version-sequence, oldest first: what a follower reads, again and again with the
 * last sequence it was given (contract.md, Versions); fewer than `count` where their texts are long, never none while
 * there are any. Cost: one statement.
 */
export async function changes(
  services: Services,
  context: RequestContext,
  sinceSequence: number,
  count: number,
): Promise<StoredVersion[]> {
  const definitions = services.definitions(context.space.release);
  const { number: space } = context.space;
  const seen = SeenVersions.of(services, context, {});
  for (let after = sinceSequence; ;) {
    const rows = await readFeed(services.database, space, after, Math.min(count, MAX_CHANGES));
    const page = await services.reader.completePage(rows, () => space);
    const last = page.at(-1);
    const shown = seen === undefined ? page : await seen.among(page);
    if (last === undefined || shown.length > 0)
      return shown.map((row) => toStoredVersion(services, definitions.typeName(row.type) ?? '', row));
    // Whoever reads on after the last that was given must not take it for the end.
    after = last.sequence;
    if (Date.now() > context.deadline) throw fhirError('timeout');
  }
}
