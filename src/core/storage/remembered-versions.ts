import type { VersionMemory } from './version-memory';
import type { PageRow, VersionMark, VersionRow } from './version-row';

/** A resource by its number of type and the decimal form of its key. */
export interface Place {
  readonly type: number;
  readonly keyText: string;
}

/** A version that was found, without its text. */
export interface MarkedPlace extends Place {
  readonly mark: VersionMark;
}

/** What was read before of one space. */
export class RememberedVersions {
  constructor(
    private readonly memory: VersionMemory,
    private readonly space: number,
  ) {}

  /** Whether most versions of these types are known: then their marks are asked for rather than their texts. */
  areKnown(types: Iterable<number>): boolean {
    for (const type of types) if (!this.memory.of(this.space, type).isWarm) return false;
    return true;
  }

  /** The version of a resource that was read last. */
  latest({ type, keyText }: Place): VersionRow | undefined {
    return this.memory.of(this.space, type).latest(keyText);
  }

  /** Notes that this version, which was known, is still the current one. */
  use({ type, keyText }: Place, row: VersionRow): void {
    this.memory.of(this.space, type).find(keyText, row);
  }

  /** What stands for a row that was read: the same of before, which holds what was made of it, or itself from now on. */
  remember<R extends PageRow>({ type, keyText }: Place, row: R): R | PageRow {
    const ofType = this.memory.of(this.space, type);
    const known = ofType.find(keyText, row);
    if (known === undefined && row.omittedBytes === undefined) ofType.keep(keyText, row);
    return known ?? row;
  }

  /** The versions with their texts; what is not known is read by one call of `read`. */
  async complete<P extends MarkedPlace>(
    places: readonly P[],
    read: (missing: readonly P[]) => Promise<readonly (PageRow | undefined)[]>,
  ): Promise<{ readonly place: P; readonly row: PageRow }[]> {
    const found = places.map(({ type, keyText, mark }) =>
      this.memory.of(this.space, type).find(keyText, mark),
    );
    const missing = places.filter((_place, index) => found[index] === undefined);
    const rows = missing.length === 0 ? [] : await read(missing);
    let next = 0;
    return places.map((place, index) => {
      const known = found[index];
      if (known !== undefined) return { place, row: known };
      const row = rows[next++];
      if (row === undefined) throw new Error('a stored version is gone');
      if (row.omittedBytes === undefined) this.memory.of(this.space, place.type).keep(place.keyText, row);
      return { place, row };
    });
  }
}
