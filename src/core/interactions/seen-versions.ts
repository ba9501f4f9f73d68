import { visibilityOf, type Visibility } from '../authorization/visibility';
import type { HistoryRequest } from '../api/history';
import type { RequestContext } from '../context';
import type { Right } from '../authorization/right';
import type { SearchServices, Services } from '../ports';
import type { VersionRow } from '../storage/read/version-row';

/** Filters the versions of a history for a caller who may not see all: see `Visibility.seesVersion`. */
export class SeenVersions {
  private constructor(
    private readonly services: Pick<Services, 'definitions'>,
    private readonly context: RequestContext,
    private readonly visibility: Visibility,
    private readonly right: Right,
  ) {}

  /**
   * Undefined if the caller may see all. SMART treats the history of one resource as reading, that of several as
   * searching.
   * Throws `forbidden` if the caller may see nothing of it.
   */
  static of(
    services: SearchServices,
    context: RequestContext,
    { type, id }: Pick<HistoryRequest, 'type' | 'id'>,
  ): SeenVersions | undefined {
    const visibility = visibilityOf(services, context);
    if (visibility === undefined) return undefined;
    const { permissions } = visibility;
    const right = id === undefined ? 's' : 'r';
    const { resourceTypes } = services.definitions(context.space.release);
    if (type !== undefined) permissions.require(type, right);
    else if (!resourceTypes.some((each) => permissions.allows(each, right)))
      throw permissions.missing('*', right);
    const seesAll = (type === undefined ? resourceTypes : [type]).every(
      (each) => permissions.allows(each, right) && permissions.conditions(each, right).length === 0,
    );
    return seesAll ? undefined : new SeenVersions(services, context, visibility, right);
  }

  get space(): number {
    return this.context.space.number;
  }

  /** The visible ones of complete versions. Cost: a batched read of the current versions, and of the deleted ones. */
  async among<Row extends VersionRow>(rows: readonly Row[]): Promise<readonly Row[]> {
    const { services, context, visibility, right, space } = this;
    const definitions = services.definitions(context.space.release);
    const byType = new Map<string, Row[]>();
    for (const row of rows) {
      const type = definitions.typeName(row.type);
      if (type === undefined || !visibility.permissions.allows(type, right)) continue;
      const ofType = byType.get(type);
      if (ofType === undefined) byType.set(type, [row]);
      else ofType.push(row);
    }
    const groups = [...byType].map(([type, ofType]) => visibility.amongVersions(type, right, space, ofType));
    const seen = new Set((await Promise.all(groups)).flatMap((group) => [...group]));
    return rows.filter((row) => seen.has(row));
  }
}
