import type { VersionCache } from './version-cache';
import type { PageRow, VersionMark, VersionRow } from './version-row';

/** A resource by its number of type and the decimal form of its key. */
export interface Place {
  readonly type: number;
  readonly keyText: string;
}

/** What was read before of one space. */
export class RememberedVersions {
  constructor(
    private readonly memory: VersionCache,
    private readonly space: number,
  ) {}

  /** The version of a resource that was read last. */
  latest({ type, keyText }: Place): VersionRow | undefined {
    return this.memory.of(this.space, type).latest(keyText);
  }

  /** The version with this mark: the one that was read last, or was until lately. */
  find({ type, keyText }: Place, mark: VersionMark): VersionRow | undefined {
    return this.memory.of(this.space, type).find(keyText, mark);
  }

  /** Notes that this version, which was known, is still the current one. */
  use({ type, keyText }: Place, row: VersionRow): void {
    this.memory.of(this.space, type).find(keyText, row);
  }

  /** What stands for a row that was read: the same of before, which holds what was made of it, or itself from now on. */
  remember<R extends PageRow>({ type, keyText }: Place, row: R): R | PageRow {
    const ofType = this.memory.of(this.space, type);
    const known = ofType.find(keyText, row);
    if (known !== undefined) {
      ofType.tellAgain(keyText, known);
      return known;
    }
    if (row.omittedBytes === undefined) ofType.keep(keyText, row);
    return row;
  }
}
