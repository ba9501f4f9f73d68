import type { StoredVersion } from '../storage/read/stored-version';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import type { SearchServices } from '../ports';
import { readFeed } from '../storage/read/feed';
import { SeenVersions } from './seen-versions';
import { toStoredVersion } from '../versions/stored-version';

const MAX_CHANGES = 1000;

/**
 * The changes of the space after a version-sequence, oldest first (docs/reference/behaviour.md, Versions). A reader continues with
 * the last sequence that it received. Long texts make a page shorter than `count`; a page is empty only at the end.
 * Cost: one statement.
 */
export async function changes(
  services: SearchServices,
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
    // The caller may see nothing of this page. An empty result would mean the end, so the next page is read.
    after = last.sequence;
    if (Date.now() > context.deadline) throw fhirError('timeout');
  }
}
