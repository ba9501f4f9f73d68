/** Refuses writes by grants that are bound to patients where they are about others (ownership.ts). */
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import { parseStoredObject, type JsonObject } from '../fhir/json';
import type { TestedVersion } from '../search/matching/version-test';
import type { SearchServices } from '../ports';
import type { KeyHalves } from '../storage/key-halves';
import type { VersionRow } from '../storage/read/version-row';
import type { Grant, GrantSide } from './grant';
import { changedRole, foreignOwner, provenanceTargets, type OwnershipContext } from './ownership';
import { WRITING, type Right } from './right';
import type { Visibility } from './visibility';
import { PATIENT, PROVENANCE } from '../fhir/type-names';

/** Targets of a Provenance that are looked up for one write. */
const MOST_TARGETS = 1000;
const TARGETS_AT_ONCE = 50;

/** Why the grants do not allow a write. */
export interface OwnershipFault {
  /** Undefined: a reason that names an element would disclose what is stored. */
  readonly reason?: string;
  readonly element?: string;
  /** True: the fault is in the stored content. */
  readonly isStored?: boolean;
}

/** Content that is to be stored. */
export interface OwnedContent extends Omit<TestedVersion, 'lastUpdated'> {
  /** The content that it replaces; undefined: the resource is new. */
  readonly before: Omit<TestedVersion, 'lastUpdated'> | undefined;
  /** `Type/id` of all resources that the request writes. */
  readonly written: ReadonlySet<string>;
}

/** A resource, as far as its owner depends on it. */
interface OwnedResource {
  readonly type: string;
  readonly key: KeyHalves;
  readonly resource: JsonObject;
}

/** The targets of a Provenance that are looked up. */
interface ExaminedTargets {
  /** `Type/id` of those that need no lookup. */
  readonly written: ReadonlySet<string>;
  readonly isStored: boolean;
}

const OF_STORED: ExaminedTargets = { written: new Set(), isStored: true };

export class OwnerGuard {
  constructor(
    private readonly services: SearchServices,
    private readonly context: RequestContext,
    private readonly visibility: Visibility,
  ) {}

  get #space(): OwnershipContext & { keyOf(type: string, id: string): KeyHalves } {
    return this.services.searchContext(this.context.space);
  }

  /** True if grants that decide on the right are bound to patients. Cost: a lookup. */
  isBound(type: string, right: Right): boolean {
    return this.visibility.permissions.boundSides(type, right).length > 0;
  }

  /**
   * Returns why no grant allows to change a stored version that meets the conditions of the right; undefined: one does.
   * Cost: none without bound grants; for a Provenance a read of each target.
   */
  async faultOfStored(type: string, right: Right, row: VersionRow): Promise<OwnershipFault | undefined> {
    const fault = await this.#faultOfRow(type, right, row, true);
    return fault && { ...fault, isStored: true };
  }

  /** As `faultOfStored`, for content that is to be stored. */
  async faultOfContent(
    type: string,
    right: 'c' | 'u',
    content: OwnedContent,
  ): Promise<OwnershipFault | undefined> {
    const { visibility } = this;
    const meets = async (grant: Grant, version: Omit<TestedVersion, 'lastUpdated'>): Promise<boolean> =>
      (await visibility.verdictOf(grant.criteria, version)) === 'yes';
    for (const side of visibility.permissions.boundSides(type, right)) {
      const all = side.flatMap(({ patients = [] }) => patients);
      const fault = await this.#faultOfSide(
        side,
        (grant) => meets(grant, content),
        async (grant) => {
          const { before, resource, key } = content;
          if (grant.patients === undefined) {
            const isAllowed = before === undefined || (await meets(grant, before));
            return isAllowed ? undefined : this.#faultOfRoles(type, content, all);
          }
          if (type === PATIENT && right === 'c') return {};
          return (
            (await this.#faultOfOwners({ type, key, resource }, grant.patients, this.#examinedOf(content))) ??
            this.#faultOfRoles(type, content, grant.patients)
          );
        },
      );
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** Targets that the replaced content had were examined with it. */
  #examinedOf({ before, written }: OwnedContent): ExaminedTargets {
    const old = before === undefined ? [] : (provenanceTargets(this.#space, before.resource) ?? []);
    const names = old.map(({ type, id }) => `${type}/${id}`);
    return { written: new Set([...written, ...names]), isStored: false };
  }

  async #faultOfRow(
    type: string,
    right: Right,
    row: VersionRow,
    withTargets: boolean,
  ): Promise<OwnershipFault | undefined> {
    const { visibility, context } = this;
    for (const side of visibility.permissions.boundSides(type, right)) {
      const fault = await this.#faultOfSide(
        side,
        async ({ criteria }) =>
          (await visibility.meeting(criteria, type, context.space.number, [row])).has(row),
        async ({ patients }) => {
          if (patients === undefined) return undefined;
          const owned = { type, key: row.key, resource: parseStoredObject(row.body) };
          return this.#faultOfOwners(owned, patients, withTargets ? OF_STORED : undefined);
        },
      );
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** Undefined where one of the grants is met and has no fault. */
  async #faultOfSide(
    side: GrantSide,
    meets: (grant: Grant) => Promise<boolean>,
    faultOf: (grant: Grant) => Promise<OwnershipFault | undefined>,
  ): Promise<OwnershipFault | undefined> {
    let first: OwnershipFault | undefined;
    for (const grant of side) {
      // The conditions of a side with one grant were tested with the right.
      if (side.length > 1 && !(await meets(grant))) continue;
      const fault = await faultOf(grant);
      if (fault === undefined) return undefined;
      first ??= fault;
    }
    return first ?? {};
  }

  /** @param examined undefined: the targets of a Provenance are not looked up */
  async #faultOfOwners(
    { type, key, resource }: OwnedResource,
    patients: readonly string[],
    examined: ExaminedTargets | undefined,
  ): Promise<OwnershipFault | undefined> {
    if (type === PATIENT) {
      const isReached = patients.map((id) => this.#space.keyOf(PATIENT, id)).some((own) => isSame(own, key));
      if (isReached) return undefined;
      return {
        element: PATIENT,
        reason: 'Grants for patients may change only the Patient resources of these patients',
      };
    }
    const element = foreignOwner(this.#space, type, resource, { patients });
    if (element !== undefined) {
      const reason = `Grants for patients write about these alone: ${element} must be a literal, local reference to one of them`;
      return { element, reason };
    }
    return type === PROVENANCE && examined !== undefined
      ? this.#faultOfTargets(resource, examined)
      : undefined;
  }

  /** A Provenance speaks of its targets, so that its writer needs the right to write each of them. */
  async #faultOfTargets(
    resource: JsonObject,
    { written, isStored }: ExaminedTargets,
  ): Promise<OwnershipFault | undefined> {
    const element = 'Provenance.target';
    const fault = {
      element,
      reason: `${element} must refer to resources that the grants of this client may write`,
    };
    const targets = provenanceTargets(this.#space, resource);
    if (targets === undefined) return fault;
    const names = new Set(targets.map(({ type, id }) => `${type}/${id}`));
    const examined = [...names].filter((name) => !written.has(name));
    if (examined.length > MOST_TARGETS) {
      const reason = `${element} has ${examined.length} references, and at most ${MOST_TARGETS} can be examined by grants for patients`;
      throw fhirError('tooCostly', { reason });
    }
    for (let start = 0; start < examined.length; start += TARGETS_AT_ONCE) {
      const some = examined.slice(start, start + TARGETS_AT_ONCE);
      const verdicts = await Promise.all(some.map((name) => this.#mayWrite(name, isStored)));
      if (verdicts.includes(false)) return fault;
    }
    return undefined;
  }

  /** @param isStored true: the target of a stored Provenance, which may have been deleted since */
  async #mayWrite(name: string, isStored: boolean): Promise<boolean> {
    const [type = '', id = ''] = name.split('/');
    const { services, context, visibility } = this;
    const { permissions } = visibility;
    const space = context.space.number;
    const number = services.definitions(context.space.release).typeNumber(type);
    if (number === undefined) return false;
    const row = await services.reader.current(space, { type: number, key: services.keys.keyOf(type, id) });
    if (row === undefined || row.change === 'delete') return isStored;
    for (const right of WRITING) {
      if (!permissions.allows(type, right) || !(await visibility.seesCurrent(type, right, space, row)))
        continue;
      if ((await this.#faultOfRow(type, right, row, false)) === undefined) return true;
    }
    return false;
  }

  #faultOfRoles(
    type: string,
    { before, resource }: OwnedContent,
    patients: readonly string[],
  ): OwnershipFault | undefined {
    const contents = { before: before?.resource, after: resource };
    const { user } = this.context.access ?? {};
    const found = changedRole(this.#space, type, contents, { patients, user });
    if (found === undefined) return undefined;
    const { element, change } = found;
    const reason = `Grants for patients neither add nor remove other Patients, and this write has one ${change} at ${element}`;
    return { element, reason, isStored: change === 'removed' };
  }
}

const isSame = (one: KeyHalves, other: KeyHalves): boolean =>
  one.high === other.high && one.low === other.low;
