import type { VersionCache } from './version-cache';
import type { PageRow, VersionMark, VersionRow } from './version-row';

/** A resource by the number of its type and the decimal form of its key. */
export interface ResourceRef {
  readonly type: number;
  readonly keyText: string;
}

/** Cached versions of one space. */
export class CachedVersions {
  constructor(
    private readonly cache: VersionCache,
    private readonly space: number,
  ) {}

  /** Returns the cached version of a resource that was read last. */
  latest({ type, keyText }: ResourceRef): VersionRow | undefined {
    return this.cache.of(this.space, type).latest(keyText);
  }

  /** Returns the cached version with this mark, even if a newer one has replaced it recently. */
  find({ type, keyText }: ResourceRef, mark: VersionMark): VersionRow | undefined {
    return this.cache.of(this.space, type).find(keyText, mark);
  }

  /** Marks a cached version, which is still current, as recently used. */
  use({ type, keyText }: ResourceRef, row: VersionRow): void {
    this.cache.of(this.space, type).find(keyText, row);
  }

  /**
   * Caches a row that was read, and returns the row to use: the cached row of the same version if there is one, because
   * it may hold the answer made from it, else the row itself.
   */
  add<R extends PageRow>({ type, keyText }: ResourceRef, row: R): R | PageRow {
    const ofType = this.cache.of(this.space, type);
    const cached = ofType.find(keyText, row);
    if (cached !== undefined) {
      ofType.addSequenceAgain(keyText, cached);
      return cached;
    }
    if (row.omittedBytes === undefined) ofType.put(keyText, row);
    return row;
  }
}
