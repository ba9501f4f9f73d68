import type { StoredVersion } from '../api';
import type { RequestContext } from '../context';
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
  const rows = await readFeed(
    services.database,
    context.space.number,
    sinceSequence,
    Math.min(count, MAX_CHANGES),
  );
  const page = await services.reader.completePage(rows, () => context.space.number);
  const seen = SeenVersions.of(services, context, {});
  return (seen === undefined ? page : await seen.among(page)).map((row) =>
    toStoredVersion(services, definitions.typeName(row.type) ?? '', row),
  );
}
