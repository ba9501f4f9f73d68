/** The resources that grants reach, computed without core from the JSON of the stored resources. */
import type { Access } from '../../../src/core';

export interface Stored {
  readonly resourceType: string;
  readonly id: string;
  readonly [member: string]: unknown;
}

type Json = Readonly<Record<string, unknown>>;

/** Every reference in it, as written. */
function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'reference' && typeof member === 'string' ? [member] : referencesIn(member),
  );
}

/** A type that is in no record; those who reach a record reach those of this type that it refers to. */
const REFERRED = 'Practitioner';
/** Types of records whose definitions let them refer to it, of those that are made here. */
const REFERRING = ['Patient', 'Encounter', 'Observation', 'Condition', 'List'];

/** All references to patients that are made here put a resource into the patient's compartment. */
export function isOfPatient(resource: Stored, patient: string): boolean {
  if (resource.resourceType === REFERRED) return false;
  if (resource.resourceType === 'Patient' && resource.id === patient) return true;
  return referencesIn(resource).includes(`Patient/${patient}`);
}

/** The criteria that the scopes here are made with. */
const CRITERIA: Readonly<Record<string, (resource: Json) => boolean>> = {
  'status=final': ({ status }) => status === 'final',
  'category=laboratory': ({ category }) => JSON.stringify(category ?? []).includes('"laboratory"'),
  'gender=female': ({ gender }) => gender === 'female',
  'gender:not=female': ({ gender }) => gender !== 'female',
  'status=finished,planned': ({ status }) => status === 'finished' || status === 'planned',
};

/** Search parameters of a type that have these criteria; of others a scope with them grants nothing. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  'status=final': ['Observation', 'Encounter', 'List'],
  'category=laboratory': ['Observation', 'Condition'],
  'gender=female': ['Patient', 'Practitioner'],
  'gender:not=female': ['Patient', 'Practitioner'],
  'status=finished,planned': ['Observation', 'Encounter', 'List'],
};

const SCOPE = /^(patient|user|system)\/([A-Za-z*]+)\.([a-z*]+)(?:\?(.*))?$/;
const VERSION_1: Readonly<Record<string, string>> = { read: 'rs', write: 'cud', '*': 'cruds' };

interface Grant {
  /** The patients whose records it is about; undefined: it is not about records. */
  readonly patients: readonly string[] | undefined;
  readonly query: string | undefined;
}

/** Returns the patients whose records scopes of this kind reach; undefined: all. */
export function patientsOf(
  { user = '', userPatients = [], patient }: Access,
  context: string,
): string[] | undefined {
  const [type = '', id = ''] = user.split('/');
  const hasOthers = type === 'RelatedPerson' || type === 'Person';
  if (context === 'system') return undefined;
  if (context === 'patient')
    return patient === undefined || (hasOthers && !userPatients.includes(patient)) ? [] : [patient];
  if (type === 'Practitioner' || type === 'PractitionerRole') return undefined;
  return type === 'Patient' ? [id] : hasOthers ? [...userPatients] : [];
}

function grantsOf(access: Access, type: string, right: string): Grant[] {
  return access.scopes.flatMap((scope) => {
    const [, context = '', of, letters = '', query] = SCOPE.exec(scope) ?? [];
    const rights = VERSION_1[letters] ?? letters;
    if ((of !== '*' && of !== type) || !rights.includes(right)) return [];
    if (query !== undefined && KNOWN[query]?.includes(type) !== true) return [];
    const patients = patientsOf(access, context);
    if (patients?.length === 0) return [];
    const isReferred = patients !== undefined && type === REFERRED;
    if (isReferred && (!'rs'.includes(right) || !REFERRING.some((source) => mayAsk(access, source, 'r'))))
      return [];
    return [{ patients, query }];
  });
}

/** True if some resource of the type is accessible. */
export function mayAsk(access: Access, type: string, right: string): boolean {
  return grantsOf(access, type, right).length > 0;
}

/** `current`: all that is there now. */
export function mayReach(
  access: Access,
  resource: Stored,
  right: string,
  current: readonly Stored[],
): boolean {
  const { resourceType: type, id } = resource;
  const isReferredBy = (patient: string): boolean =>
    current.some(
      (source) =>
        REFERRING.includes(source.resourceType) &&
        isOfPatient(source, patient) &&
        referencesIn(source).includes(`${type}/${id}`) &&
        mayReach(access, source, 'r', current),
    );
  const isOf = type === REFERRED ? isReferredBy : (patient: string) => isOfPatient(resource, patient);
  return grantsOf(access, type, right).some(
    ({ patients, query }) =>
      (patients === undefined || patients.some(isOf)) &&
      (query === undefined || CRITERIA[query]?.(resource) === true),
  );
}
