import type { OutdatedIndex, Readiness } from './api';
import type { RedisCache } from './cache/redis-cache';
import type { Release } from './fhir/release';
import type { Connections } from './storage/connections';
import { installedDigest } from './storage/conformance';
import type { RowRecord } from './storage/row-record';

export const OTHER_DEFINITIONS =
  'A process with other definitions has replaced the base conformance resources: restart this one';

export interface HealthParts {
  readonly database: Connections;
  readonly cache: RedisCache;
  readonly record: RowRecord;
  /** What this process makes index rows with, by release. */
  readonly rules: Readonly<Record<Release, string>>;
  /** Of the base conformance resources of this program. */
  readonly digest: string;
  /** Whether row-level security is in force. */
  readonly hasWall: boolean;
}

/** How this process is, in words for an operator. */
export class Health {
  constructor(private readonly parts: HealthParts) {}

  async outdatedIndex(): Promise<OutdatedIndex> {
    const { record, rules } = this.parts;
    const { count, madeWith } = await record.outdated();
    return { spaces: count, madeWith, now: rules };
  }

  async readiness(): Promise<Readiness> {
    const { database, cache, record, digest, hasWall } = this.parts;
    const notices = [
      ...(hasWall
        ? []
        : [
            'The role that row-level security holds for could not be made: the second wall between tenants is missing',
          ]),
      ...(cache.isReachable ? [] : ['Redis cannot be reached: everything works, slower']),
    ];
    try {
      // Asked of the database, because the notice of it may be lost.
      if ((await installedDigest(database)) !== digest) notices.push(OTHER_DEFINITIONS);
      const { count } = await record.outdated();
      if (count > 0)
        notices.push(
          `The search index of ${count} spaces (a space is a tenant's data of one release) was made with other settings or definitions: searches may miss something until andiron reindex has run`,
        );
      return { ready: true, notices };
    } catch {
      return { ready: false, notices: [...notices, 'The database cannot be reached'] };
    }
  }
}
