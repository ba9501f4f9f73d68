/**
 * The targets of a record's references outside of all patients' compartments (docs/run/access-rules.md, What a record
 * refers to). The definitions say which types they are: those that a reference parameter of a type of the compartment
 * names.
 */
import type { Definitions } from '../fhir/definitions';
import { hasCriterion, Nesting } from '../search/criteria/chain';
import { allOf, negated, oneOf } from '../search/criteria/connectives';
import { referringParameters, storedParameters } from '../search/parameters/parameter';
import type { Criterion, Predicate } from '../search/predicate';
import type { SearchTypeContext } from '../search/types/search-type';
import { AUDIT_EVENT, PATIENT } from '../fhir/type-names';

/** Name of the tenant's setting for the types that are opened `bySetting`. */
export const RECORD_OPENS = 'record-opens';
const NAME = 'referenced';
/** Codes of the search parameters that select whom a resource is about. */
export const OWNING: readonly string[] = ['patient', 'subject'];

/** Types that a reference of a record opens, whatever they refer to. */
const OPEN: readonly string[] = [
  ...['Practitioner', 'PractitionerRole', 'Organization', 'Location', 'Medication', 'HealthcareService'],
];
/** A reference opens it where it is nobody's: an implant is its patient's, a scanner the hospital's. */
const OPEN_IF_NOBODYS = 'Device';

/**
 * The way in which a reference of a record opens resources of a type. `always`: whatever they refer to; `own`: those that
 * name a Patient of the record and no other; `ownOrNobodys`: also those that name no Patient; `bySetting`: none names a
 * Patient, and the tenant's setting decides. Undefined: no reference of a record leads to the type.
 */
export type ReferenceAccess = 'always' | 'own' | 'ownOrNobodys' | 'bySetting';

export function referenceAccessOf(definitions: Definitions, type: string): ReferenceAccess | undefined {
  const compartment = definitions.compartments.get(PATIENT)?.parameters;
  if (compartment === undefined || type === PATIENT || compartment.has(type)) return undefined;
  const isReferenced = [...compartment.keys()].some(
    (source) => source !== AUDIT_EVENT && codesTowards(definitions, source, type).length > 0,
  );
  if (!isReferenced) return undefined;
  if (OPEN.includes(type)) return 'always';
  if (type === OPEN_IF_NOBODYS) return 'ownOrNobodys';
  return codesTowards(definitions, type, PATIENT).length > 0 ? 'own' : 'bySetting';
}

/** Types that a record's references open only by a setting of the tenant, in alphabetical order. */
export function typesBySetting(definitions: Definitions): readonly string[] {
  return definitions.resourceTypes
    .filter((type) => referenceAccessOf(definitions, type) === 'bySetting')
    .sort();
}

/**
 * Returns the criteria that one of the resources in the records refers to a resource of `type` and opens it. `conditionsOf`
 * gives the conditions that such a resource of a type must meet; undefined: none of that type counts. A reference that
 * may lead to any type never counts, because it would open all types. Undefined: nothing opens a resource of the
 * type. Cost of the criteria: a look-up for each resource of the record and each of its references.
 */
export function referencedCriteria(
  context: SearchTypeContext,
  type: string,
  patients: readonly string[],
  conditionsOf: (source: string) => readonly Criterion[] | undefined,
): readonly Criterion[] | undefined {
  const { definitions } = context;
  const opening = referenceAccessOf(definitions, type);
  if (opening === undefined) return undefined;
  const anyOf: Predicate[] = [];
  for (const source of definitions.compartments.get(PATIENT)?.parameters.keys() ?? []) {
    if (source === AUDIT_EVENT) continue;
    const codes = codesTowards(definitions, source, type);
    const conditions = codes.length === 0 ? undefined : conditionsOf(source);
    if (conditions === undefined) continue;
    for (const code of codes) {
      const link = { source, code, name: NAME, value: '' };
      const nesting = Nesting.outside();
      const found = hasCriterion(context, { type, link, nesting, criteriaOf: () => conditions });
      anyOf.push(...(found?.anyOf ?? []));
    }
  }
  const merged = merge(anyOf);
  if (merged.length === 0) return undefined;
  // As a set, the cost is that of the record; a row-by-row test would read all references to a popular Organization.
  const referenced: Criterion = { name: NAME, anyOf: merged, asSet: true };
  return [referenced, ...ownership(context, type, opening, patients)];
}

/** The criteria on the Patients that a resource outside of the compartments names. */
function ownership(
  { definitions, keyOf }: SearchTypeContext,
  type: string,
  opening: ReferenceAccess,
  patients: readonly string[],
): readonly Criterion[] {
  if (opening === 'always' || opening === 'bySetting') return [];
  const targetType = definitions.typeNumber(PATIENT);
  if (targetType === undefined) return [];
  const targets = patients.map((id) => keyOf(PATIENT, id));
  const parameters = referringParameters(definitions, type);
  const towards = (index: 'references' | 'otherReference', keys: typeof targets): Predicate[] =>
    parameters.map((parameter) => ({ index, parameter, targets: keys, targetType }));
  const stored = storedParameters(definitions, type);
  const isOthers: Criterion = { name: NAME, anyOf: towards('otherReference', targets), isNegated: true };
  const isOwn: Criterion = { name: NAME, anyOf: towards('references', targets) };
  if (opening === 'own') {
    // Whom it is about may also be named by an identifier, or at another server: then it is somebody else.
    const isAbout = OWNING.flatMap((code): Criterion[] => {
      const of = stored.get(code);
      if (of === undefined) return [];
      const { ordinal, number: parameter } = of.parameter;
      const isNamed: Criterion = {
        name: NAME,
        anyOf: [{ index: 'presence', ordinal, isPresent: true, parameter }],
      };
      const own = of.rowsOf.map(
        ({ number }) => ({ index: 'references', parameter: number, targets, targetType }) as const,
      );
      return [oneOf([negated(isNamed), { name: NAME, anyOf: own }])];
    });
    return [isOwn, isOthers, ...isAbout];
  }
  const named = codesTowards(definitions, type, PATIENT).flatMap((code): Predicate[] => {
    const parameter = stored.get(code)?.parameter;
    return parameter === undefined
      ? []
      : [{ index: 'presence', ordinal: parameter.ordinal, isPresent: true, parameter: parameter.number }];
  });
  const isNobodys: Criterion = { name: NAME, anyOf: named, isNegated: true };
  return [{ ...oneOf([allOf([isOwn, isOthers]), isNobodys]), name: NAME }];
}

const opening = new WeakMap<Definitions, Map<string, ReadonlySet<number>>>();
const NO_PARAMETERS: ReadonlySet<number> = new Set();

/** The numbers of the parameters by which a resource of the type `source` opens resources of `type`. Cost: a lookup. */
export function openingParameters(
  definitions: Definitions,
  source: string,
  type: string,
): ReadonlySet<number> {
  let all = opening.get(definitions);
  if (all === undefined) opening.set(definitions, (all = new Map<string, ReadonlySet<number>>()));
  const key = `${source} ${type}`;
  let parameters = all.get(key);
  if (parameters === undefined) {
    const stored = storedParameters(definitions, source);
    const numbers = codesTowards(definitions, source, type).flatMap((code) =>
      (stored.get(code)?.rowsOf ?? []).map(({ number }) => number),
    );
    parameters = referenceAccessOf(definitions, type) === undefined ? NO_PARAMETERS : new Set(numbers);
    all.set(key, parameters);
  }
  return parameters;
}

/**
 * Returns the codes of the literal references of `source` whose definition names `type`. Parameters of a tenant open nothing:
 * apps of patients may have written such references before there was the parameter.
 */
function codesTowards(definitions: Definitions, source: string, type: string): readonly string[] {
  const most = definitions.resourceTypes.length / 2;
  return [...storedParameters(definitions, source).values()]
    .filter(({ parameter, valueTypes }) => parameter.kind === 'reference' && valueTypes.includes('Reference'))
    .filter(({ parameter: { isForeign } }) => isForeign !== true)
    .filter(({ parameter: { targets } }) => targets.includes(type) && targets.length < most)
    .map(({ parameter }) => parameter.code);
}

/** Joins the references of each source type by its parameters, so that storage searches each type once. */
function merge(predicates: readonly Predicate[]): readonly Predicate[] {
  const merged = new Map<number, Extract<Predicate, { index: 'source' }>>();
  for (const predicate of predicates) {
    if (predicate.index !== 'source' || predicate.urls !== undefined) continue;
    const { type } = predicate.source;
    const parameters = new Set([...(merged.get(type)?.parameters ?? []), ...predicate.parameters]);
    merged.set(type, { ...predicate, isOpening: true, parameters: [...parameters] });
  }
  return [...merged.values()];
}
