/**
 * The patients whom a resource is about, and the other Patients in it: what a grant that is bound to patients may write
 * (docs/run/access-rules.md, Whom a patient's client writes about). The elements come from the definitions. Pure.
 */
import type { Definitions } from '../fhir/definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '../fhir/json';
import { parseReference, type ReferenceResolver } from '../fhir/reference';
import { branchesOf } from '../search/parameters/parameter';
import { compileParameterPath, type ParameterPath } from '../search/parameters/parameter-path';
import { OWNING } from './referenced';
import { PATIENT } from '../fhir/type-names';

/** An element with references. */
interface ReferenceElement {
  /** Its path: `Observation.subject`. */
  readonly name: string;
  readonly path: ParameterPath;
}

interface OwnershipElements {
  /** Whatever these refer to owns the resource. */
  readonly owners: readonly ReferenceElement[];
  /** Only the Patients among those that these refer to own it, as in the participants of an Appointment. */
  readonly patientOwners: readonly ReferenceElement[];
  /** The other parameters of the compartment. */
  readonly roles: readonly ReferenceElement[];
}

/** The patients about whom a grant lets its client write. */
export interface PatientReach {
  /** Ids of Patients. */
  readonly patients: readonly string[];
  /** The `fhirUser` as a relative reference; it may stand in any role. */
  readonly user: string | undefined;
}

/** Resolves the references of a space. */
export interface OwnershipContext {
  readonly definitions: Definitions;
  readonly references: ReferenceResolver;
}

const compiled = new WeakMap<Definitions, Map<string, OwnershipElements>>();

function elementsOf(definitions: Definitions, type: string): OwnershipElements {
  let ofTypes = compiled.get(definitions);
  if (ofTypes === undefined) compiled.set(definitions, (ofTypes = new Map<string, OwnershipElements>()));
  let elements = ofTypes.get(type);
  if (elements === undefined) ofTypes.set(type, (elements = compile(definitions, type)));
  return elements;
}

function compile(definitions: Definitions, type: string): OwnershipElements {
  const all = definitions.searchParameters(type);
  const ofCompartment = definitions.compartments.get(PATIENT)?.parameters.get(type) ?? [];
  const named = OWNING.filter((code) => all.has(code));
  // A Patient is its own owner. What neither a patient nor a subject owns, a Schedule, all of its roles own.
  const owning = named.length > 0 || type === PATIENT ? named : ofCompartment;
  const whole = new Set<string>();
  const filtered = new Set<string>();
  for (const code of owning) {
    const parameter = all.get(code);
    if (parameter === undefined || parameter.isForeign === true) continue;
    const selectsPatients = /resolve\(\) is Patient/.test(parameter.expression ?? '');
    for (const name of branchesOf(parameter)) (selectsPatients ? filtered : whole).add(name);
  }
  const roles = new Set<string>();
  for (const code of ofCompartment) {
    const parameter = all.get(code);
    if (parameter === undefined || parameter.isForeign === true) continue;
    for (const name of branchesOf(parameter)) if (!whole.has(name)) roles.add(name);
  }
  const toElement = (name: string): ReferenceElement => ({
    name,
    path: compileParameterPath(definitions, { type }, name),
  });
  return {
    owners: [...whole].map(toElement),
    patientOwners: [...filtered].filter((name) => !whole.has(name)).map(toElement),
    roles: [...roles].filter((name) => !filtered.has(name)).map(toElement),
  };
}

/** The Reference of a value; a CodeableReference of R4B holds one. */
function toReference(value: JsonValue): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  return isJsonObject(value['reference']) ? value['reference'] : value;
}

function referencesIn({ path }: ReferenceElement, resource: JsonObject): readonly JsonObject[] {
  return path(resource)
    .map(({ value }) => toReference(value))
    .filter((reference) => reference !== undefined);
}

const textOf = ({ reference }: JsonObject): string | undefined =>
  typeof reference === 'string' && reference !== '' ? reference : undefined;

/** The contained resource to which a reference such as `#p1` refers. */
function containedBy(text: string, { contained }: JsonObject): JsonObject | undefined {
  if (!text.startsWith('#') || !Array.isArray(contained)) return undefined;
  return contained.filter(isJsonObject).find(({ id }) => id === text.slice(1));
}

/** The type of the target, as far as the reference tells it. */
function targetType(
  reference: JsonObject,
  resource: JsonObject,
  references: ReferenceResolver,
): string | undefined {
  const text = textOf(reference);
  const parsed = text === undefined ? undefined : parseReference(text);
  if (text !== undefined && parsed?.kind === 'fragment') {
    const type = containedBy(text, resource)?.['resourceType'];
    return typeof type === 'string' ? type : undefined;
  }
  // Nobody can say what an odd text refers to, and other programs may read `Patient/1/` as a Patient.
  if (parsed?.kind === 'other') return PATIENT;
  const literal = text === undefined ? undefined : (references.local(text)?.type ?? parsed?.type);
  if (literal !== undefined) return literal;
  const { type } = reference;
  return typeof type === 'string' ? type.slice(type.lastIndexOf('/') + 1) : undefined;
}

function patientId(reference: JsonObject, references: ReferenceResolver): string | undefined {
  const text = textOf(reference);
  const local = text === undefined ? undefined : references.local(text);
  return local?.type === PATIENT ? local.id : undefined;
}

const isNamed = (reference: JsonObject): boolean =>
  ['reference', 'identifier', 'display', 'type'].some((member) => reference[member] !== undefined);

/**
 * Returns the first element that names an owner who is no Patient within the reach, by a local literal reference;
 * undefined: there is none. Cost: that of a few expressions.
 */
export function foreignOwner(
  { definitions, references }: OwnershipContext,
  type: string,
  resource: JsonObject,
  { patients }: Pick<PatientReach, 'patients'>,
): string | undefined {
  const { owners, patientOwners } = elementsOf(definitions, type);
  const isReached = (reference: JsonObject): boolean => {
    const id = patientId(reference, references);
    return id !== undefined && patients.includes(id);
  };
  const mayBePatient = (reference: JsonObject): boolean => {
    const target = targetType(reference, resource, references);
    if (target !== undefined) return target === PATIENT;
    return textOf(reference) !== undefined || reference['identifier'] !== undefined;
  };
  const foreign =
    owners.find((element) =>
      referencesIn(element, resource).some((reference) => isNamed(reference) && !isReached(reference)),
    ) ??
    patientOwners.find((element) =>
      referencesIn(element, resource).some((reference) => mayBePatient(reference) && !isReached(reference)),
    );
  return foreign?.name;
}

/** A name for a Patient who is none of this space, so that it can be compared; of a contained one, its content. */
function nameElsewhere(reference: JsonObject, resource: JsonObject): string {
  const text = textOf(reference);
  if (text === undefined) return `identifier ${stableJson(reference['identifier'] ?? null)}`;
  const inside = containedBy(text, resource);
  if (inside === undefined) return text;
  const { id: _id, ...content } = inside;
  return `contained ${stableJson(content)}`;
}

/** JSON with the members of objects in alphabetical order. */
function stableJson(value: JsonValue): string {
  return JSON.stringify(value, (_name, inner: JsonValue) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}

/** A role in which a write puts a Patient, or from which it removes one. */
export interface ChangedRole {
  readonly element: string;
  readonly change: 'added' | 'removed';
}

/**
 * Returns the first role in which a write adds or removes a Patient out of reach; undefined: there is none.
 *
 * @param before undefined: the resource is new
 */
export function changedRole(
  { definitions, references }: OwnershipContext,
  type: string,
  { before, after }: { readonly before: JsonObject | undefined; readonly after: JsonObject },
  { patients, user }: PatientReach,
): ChangedRole | undefined {
  const allowed = new Set([
    ...patients.map((id) => `${PATIENT}/${id}`),
    ...(user === undefined ? [] : [user]),
  ]);
  /** Counts the references of an element to each Patient. */
  const count = (
    element: ReferenceElement,
    resource: JsonObject | undefined,
  ): ReadonlyMap<string, number> => {
    const counts = new Map<string, number>();
    if (resource === undefined) return counts;
    for (const reference of referencesIn(element, resource)) {
      if (targetType(reference, resource, references) !== PATIENT) continue;
      const id = patientId(reference, references);
      const name = id === undefined ? nameElsewhere(reference, resource) : `${PATIENT}/${id}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return counts;
  };
  for (const element of elementsOf(definitions, type).roles) {
    const [old, next] = [count(element, before), count(element, after)];
    for (const name of new Set([...next.keys(), ...old.keys()])) {
      const difference = (next.get(name) ?? 0) - (old.get(name) ?? 0);
      if (difference === 0 || allowed.has(name)) continue;
      return { element: element.name, change: difference > 0 ? 'added' : 'removed' };
    }
  }
  return undefined;
}

/** The literal references of a Provenance to its targets; undefined: one of them is none of this space. */
export function provenanceTargets(
  { references }: Pick<OwnershipContext, 'references'>,
  { target }: JsonObject,
): readonly { readonly type: string; readonly id: string }[] | undefined {
  const targets: { readonly type: string; readonly id: string }[] = [];
  for (const reference of (Array.isArray(target) ? target : []).filter(isJsonObject)) {
    const text = textOf(reference);
    const local = text === undefined ? undefined : references.local(text);
    if (local === undefined) return undefined;
    targets.push(local);
  }
  return targets;
}
