/** The Patients whose records a RelatedPerson or Person may access, by the current resource. */
import type { TenantSpace } from '../context';
import { periodRange } from '../fhir/periods';
import { isJsonObject, type JsonObject } from '../fhir/json';
import type { ReferenceResolver } from '../fhir/reference';
import type { Zone } from '../../../packages/fhir-values/date';
import { zoneOf } from '../search/values/space-zone';
import { RefreshingCache } from '../memory/refreshing-cache';
import { PATIENT } from '../fhir/type-names';

/** Levels of `Person.link.assurance` at which a link counts (http://hl7.org/fhir/identity-assuranceLevel). */
const ASSURED: readonly unknown[] = ['level3', 'level4'];
const MOST_LINKS = 10;

export interface OwnPatients {
  readonly ids: readonly string[];
}

/** Access to the resources, and resolution of their references. */
export interface PersonSource {
  /** The live current resource; undefined: there is none. */
  find(space: TenantSpace, type: string, id: string): Promise<JsonObject | undefined>;
  references(space: TenantSpace): ReferenceResolver;
}

export class PersonPatients {
  readonly #recent = new RefreshingCache<OwnPatients>('person-patients', 20_000);

  constructor(private readonly source: PersonSource) {}

  /** As `RefreshingCache.changes`. */
  get changes(): number {
    return this.#recent.changes;
  }

  /** Empties the cache. */
  clear(): void {
    this.#recent.clear();
  }

  /**
   * The Patients of a RelatedPerson or Person; undefined for other users. The object stays the same while the result does.
   * Cost: a lookup. An entry older than a second is read again; requests wait for that only after 1.5 s.
   *
   * @param user a relative reference
   */
  of(
    space: TenantSpace,
    user: string | undefined,
  ): OwnPatients | undefined | Promise<OwnPatients | undefined> {
    const [type = '', id = ''] = user?.split('/') ?? [];
    const read = READERS.get(type);
    if (read === undefined) return undefined;
    return this.#recent.get(`${space.number} ${type}/${id}`, async () => {
      const resource = await this.source.find(space, type, id);
      return { ids: resource === undefined ? [] : read(resource, space, this.source.references(space)) };
    });
  }
}

type Reader = (resource: JsonObject, space: TenantSpace, references: ReferenceResolver) => readonly string[];

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  [
    'RelatedPerson',
    ({ active, period, patient }, space, references) => {
      if (active === false || !isWithin(period, zoneOf(space))) return [];
      return patientIds([patient], references);
    },
  ],
  [
    'Person',
    ({ active, link }, _space, references) => {
      if (active === false || !Array.isArray(link)) return [];
      const assured = link.filter(isJsonObject).filter(({ assurance }) => ASSURED.includes(assurance));
      const targets = assured.map(({ target }) => target);
      return [...new Set(patientIds(targets, references))].slice(0, MOST_LINKS);
    },
  ],
]);

/** True if a period contains this moment. A period without limits always does, an invalid one never. */
function isWithin(period: JsonObject[string] | undefined, zone: Zone): boolean {
  if (period === undefined) return true;
  if (!isJsonObject(period)) return false;
  const { start, end } = period;
  if (start === undefined && end === undefined) return true;
  const range = periodRange(start, end, zone);
  const now = Date.now();
  return range !== undefined && range.low <= now && now < range.high;
}

function patientIds(
  values: readonly (JsonObject[string] | undefined)[],
  references: ReferenceResolver,
): string[] {
  return values.flatMap((value) => {
    const text = isJsonObject(value) ? value['reference'] : undefined;
    const local = typeof text === 'string' ? references.local(text) : undefined;
    return local?.type === PATIENT ? [local.id] : [];
  });
}
