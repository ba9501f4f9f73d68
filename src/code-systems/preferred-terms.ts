/** Language reference sets of SNOMED CT: which descriptions they prefer. */
import type { Rf2File } from './rf2-release';
import { readRf2 } from './rf2-release';

const COLUMNS = ['id', 'effectiveTime', 'active', 'moduleId', 'refsetId', 'referencedComponentId'].concat(
  'acceptabilityId',
);
const PREFERRED = '900000000000548007';

/** Identifiers in 8 bytes each. */
class SortedIds {
  private ids = new BigUint64Array(1 << 12);
  length = 0;

  add(id: bigint): void {
    if (this.length === this.ids.length) {
      const larger = new BigUint64Array(this.length * 2);
      larger.set(this.ids);
      this.ids = larger;
    }
    this.ids[this.length++] = id;
  }

  sort(): void {
    this.ids = this.ids.slice(0, this.length).sort();
  }

  has(id: bigint): boolean {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.ids[middle] ?? 0n) < id) low = middle + 1;
      else high = middle;
    }
    return low < this.length && this.ids[low] === id;
  }
}

/** The reference sets of a release by their ids; 8 bytes for each term that one prefers. */
export class PreferredTerms {
  readonly refsets: string[] = [];
  private readonly ids: SortedIds[] = [];

  static async read(files: readonly Rf2File[]): Promise<PreferredTerms> {
    const terms = new PreferredTerms();
    for (const { path } of files)
      for await (const [, row] of readRf2(path, COLUMNS)) {
        const [, , active, , refset = '', description = '', acceptability] = row;
        if (active === '1' && acceptability === PREFERRED && /^\d{1,18}$/.test(description))
          terms.add(refset, BigInt(description));
      }
    for (const ids of terms.ids) ids.sort();
    return terms;
  }

  private add(refset: string, description: bigint): void {
    let at = this.refsets.indexOf(refset);
    if (at < 0) {
      at = this.refsets.push(Buffer.from(refset).toString()) - 1;
      this.ids.push(new SortedIds());
    }
    this.ids[at]?.add(description);
  }

  /** Returns the indexes of the reference sets that prefer a description. */
  preferring(description: string): readonly number[] {
    if (!/^\d{1,18}$/.test(description)) return [];
    const id = BigInt(description);
    return this.ids.flatMap((ids, at) => (ids.has(id) ? [at] : []));
  }
}
