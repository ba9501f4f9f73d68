/** Tests by their content whether versions belong to an export that are not current any more. */
import type { ExportLevel } from '../../api/bulk-export';
import { shownText, visibilityOf, type Visibility } from '../../authorization/visibility';
import type { RequestContext } from '../../context';
import { parseStoredObject, type JsonObject } from '../../fhir/json';
import { PATIENT } from '../../fhir/type-names';
import type { Services } from '../../ports';
import { compileScan } from '../../search/matching/scan';
import { testCriteria, type TestResult } from '../../search/matching/version-test';
import { compartmentOwners } from '../../search/parameters/compartment';
import { searchContext } from '../../search-execution/plan/prepare-search';
import type { VersionRow } from '../../storage/read/version-row';
import { toStoredVersion } from '../../versions/stored-version';
import type { TypePlan } from './export-types';

export class MembershipTest {
  readonly #patients: ReadonlySet<string> | undefined;
  readonly #visibility: Visibility | undefined;

  constructor(
    private readonly services: Services,
    private readonly context: RequestContext,
    private readonly level: ExportLevel,
    patients: readonly string[] | undefined,
  ) {
    this.#patients = patients === undefined ? undefined : new Set(patients);
    this.#visibility = visibilityOf(services, context);
  }

  /**
   * True if a live version belongs to the export. `searched`: returns its key where its current version meets the criteria, which
   * decides where the version alone does not.
   */
  async passes(
    plan: TypePlan,
    row: VersionRow,
    searched: () => Promise<readonly string[]>,
  ): Promise<boolean> {
    if (!this.isInRecords(plan.type, row)) return false;
    const { alternatives } = plan;
    if (alternatives === undefined) return true;
    const resource = parseStoredObject(row.body);
    const results = alternatives.map((criteria) => this.#test(plan.type, criteria, row, resource));
    if (results.includes('yes')) return true;
    return results.includes('maybe') && (await searched()).length > 0;
  }

  /** True if a version that was deleted was in the records, and visible to the caller. */
  async passed(plan: TypePlan, row: VersionRow): Promise<boolean> {
    if (row.change === 'delete' || !this.isInRecords(plan.type, row)) return false;
    return this.#visibility === undefined || this.#visibility.seesContent(plan.type, 'r', row);
  }

  /** True if a version is in the compartment of one of the Patients, or the export is one of the whole system. */
  isInRecords(type: string, row: VersionRow): boolean {
    if (this.level === 'system') return true;
    const { id } = toStoredVersion(this.services, type, row);
    if (type === PATIENT) return this.#patients?.has(id) ?? true;
    const { services, context } = this;
    const { definitions } = searchContext(services, context);
    const resource = parseStoredObject(shownText(services, context, row.body));
    const references = services.references(context.space);
    const owners = [...compartmentOwners(definitions, PATIENT, { type, id, resource }, references)];
    return this.#patients === undefined
      ? owners.length > 0
      : owners.some((owner) => this.#patients?.has(owner) === true);
  }

  #test(
    type: string,
    criteria: NonNullable<TypePlan['alternatives']>[number],
    { key, lastUpdated }: VersionRow,
    resource: JsonObject,
  ): TestResult {
    const { services, context } = this;
    const version = { key, lastUpdated, resource, rows: services.extract(context.space, type, resource) };
    return testCriteria(criteria, version, (scan) =>
      compileScan(services.definitions(scan.release), scan, (...of) => services.extractForScan(...of)),
    );
  }
}
