import type { VersionMemory } from './version-memory';
import type { Waiter } from '../waiter';
import type { Database, Row } from './database';
import { toMatch, toSortValue, type Match } from './match';
import { RememberedVersions } from './remembered-versions';
import type { StoredSortValue } from './search-order';
import type { PageForm } from './search-statement';
import { readPageVersions } from './version-read';
import { decodeMark, keyOfText } from './version-row';

/** Rows of page statements as matches, with texts that were read before wherever they are still current. */
export class PageRows {
  constructor(
    private readonly memory: VersionMemory,
    private readonly database: Database,
    /** True: texts always come with the rows. */
    private readonly byOneStatement = false,
  ) {}

  /** Which form of statement costs least for the next page of a type. */
  formFor(space: number, type: number): PageForm {
    if (this.byOneStatement) return 'texts';
    return new RememberedVersions(this.memory, space).areKnown([type]) ? 'marks' : 'texts';
  }

  /**
   * Matches of the rows of a statement of that form, whose columns begin at `start`.
   * Cost: none; one statement for all texts that are not known, where only marks were read.
   */
  async toMatches(
    form: PageForm,
    { space, type }: { readonly space: number; readonly type: number },
    rows: readonly Row[],
    start: number,
    waiting?: readonly Waiter[],
  ): Promise<Match[]> {
    const remembered = new RememberedVersions(this.memory, space);
    if (form === 'texts')
      return rows.map((columns) => {
        const match = toMatch(columns, start, type);
        return { ...match, row: remembered.remember({ type, keyText: match.keyText }, match.row) };
      });
    const places = rows.map((columns) => ({
      type,
      sortValue: toSortValue(columns[start] as StoredSortValue),
      keyText: columns[start + 1] as string,
      mark: decodeMark(columns, start + 2),
    }));
    const versions = await remembered.complete(places, (missing) =>
      readPageVersions(
        'search',
        this.database,
        space,
        missing.map(({ keyText, mark }) => ({ type, key: keyOfText(keyText), version: mark.version })),
        waiting,
      ),
    );
    return versions.map(({ place: { sortValue, keyText }, row }) => ({ sortValue, keyText, row }));
  }
}
