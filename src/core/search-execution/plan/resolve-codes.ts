/** Searches by terminology: replaces value sets and subtrees of code systems by their codes. */
import { turns } from '../../concurrency/turns';
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import { type JsonObject, parseStoredObject } from '../../fhir/json';
import { type Concept, hasConcepts } from '../../fhir/terminology/code-system';
import { composeValueSet } from '../../fhir/terminology/compose';
import {
  booleanMember,
  objectMember,
  objectsMember,
  stringMember,
  stringsMember,
} from '../../fhir/terminology/members';
import { listMembers, ValueSetEvaluation } from '../../fhir/terminology/membership';
import { describeNotLoaded } from '../../fhir/terminology/not-loaded';
import { parseCanonical, type TerminologySource } from '../../fhir/terminology/source';
import { terminologyOf } from '../../terminology/terminology-source';
import { createCache, forEachDatabase } from '../../memory/create-cache';
import type { CodeRows, HashedCode, PendingPredicate, Predicate } from '../../search/predicate';
import { hashCodes } from '../../search/types/token-codes';
import type { SearchServices, Services } from '../../ports';
import { createTerminologyEnvironment } from '../../terminology/environment';
import { readForServer } from '../../versions/resource-address';

/** Maximum number of codes in one search. */
const MAX_CODES = 20_000;
/** Maximum number of code systems that match as a whole. */
const MAX_SYSTEMS = 50;
/** Maximum number of steps for expanding one value set: some 100 ms. */
const MAX_STEPS = 300_000;
/** Maximum depth of value sets that include each other. */
const MAX_DEPTH = 10;

type ValueSetPredicate = Extract<PendingPredicate, { index: 'valueSet' }>;
type SubsumptionPredicate = Extract<PendingPredicate, { index: 'subsumption' }>;

/** The members of a value set. */
interface Members {
  /** Code systems that it includes completely, although their codes cannot be listed here. */
  readonly systems: ReadonlySet<string>;
  readonly codes: readonly (readonly [system: string, code: string])[];
}

/** Cache by space, version of its terminology, and name of the value set. */
const membersCache = forEachDatabase(() =>
  createCache<string, Members>({ name: 'value-set-members', scope: 'data', maxSize: 200_000 }),
);

/**
 * `:in` and `:not-in`: the codes of the value set, or of the code systems that it includes completely. `name`: the
 * parameter as written by the client.
 * Throws invalidParameterValue for an unknown value set; tooCostly over 20,000 codes; notSupported if the codes
 * cannot be listed. Cost: one statement; the first time some more for the value set and each of its code systems.
 */
export async function resolveValueSet(
  services: SearchServices,
  context: RequestContext,
  name: string,
  { rows, valueSet }: ValueSetPredicate,
): Promise<Predicate[]> {
  const { space } = context;
  const environment = createTerminologyEnvironment(services, space);
  const version = await environment.terminologyVersion();
  const key = `${space.number} ${version} ${valueSet}`;
  const cache = membersCache(services);
  let members = cache.get(key);
  if (members === undefined) {
    const source = terminologyOf(environment);
    const resource = await findValueSet(services, context, source, valueSet);
    if (resource === undefined) throw refusal(name, valueSet, 'the value set does not exist');
    members = await listAll(resource, source, 0);
    // Cached only if the terminology is unchanged: under the old version the entry would be wrong if that came back.
    // The view of a transaction is not cached, because its versions may never be committed.
    if (services.scope.isCommitted && (await environment.terminologyVersion()) === version)
      cache.set(key, members, { size: 1 + members.codes.length });
  }
  const { systems, codes } = members;
  const whole = [...systems].map((system) => services.hasher.cachedShort(system));
  return [
    ...codesPredicates(services, rows, codes),
    ...rows.parameters.flatMap((parameter) =>
      whole.map((system): Predicate => ({ index: 'token', parameter, value: undefined, system })),
    ),
  ];
}

/** A reference is literal where it can be, else the url of a value set (search.html#token, `:in`). */
async function findValueSet(
  services: SearchServices,
  context: RequestContext,
  source: TerminologySource,
  name: string,
): Promise<JsonObject | undefined> {
  const local = services.references(context.space).local(name);
  if (local?.type === 'ValueSet') {
    // Callers that may not read every value set were rejected before.
    const row = await readForServer(services, context, local.type, local.id);
    if (row !== undefined) return parseStoredObject(row.body);
  }
  const { url, version } = parseCanonical(name);
  return source.findValueSet(url, version);
}

async function listAll(resource: JsonObject, source: TerminologySource, depth: number): Promise<Members> {
  const compose = objectMember(resource, 'compose');
  const includes = objectsMember(compose ?? {}, 'include');
  const systems = new Set<string>();
  const codes: Members['codes'][number][] = [];
  const others: JsonObject[] = [];
  // With exclusions each code must be listed.
  const hasExclusions =
    compose === undefined ||
    objectsMember(compose, 'exclude').length > 0 ||
    booleanMember(compose, 'inactive') === false;
  for (const include of hasExclusions ? [] : includes) {
    const system = wholeSystemOf(include);
    const imported = onlyImportOf(include);
    if (system !== undefined && !(await isListed(source, system, stringMember(include, 'version')))) {
      systems.add(system);
    } else if (imported !== undefined && depth < MAX_DEPTH) {
      const { url, version } = parseCanonical(imported);
      const found = await source.findValueSet(url, version);
      if (found === undefined) {
        const reason = `The value set ${imported}, which is included, does not exist`;
        throw fhirError('notSupported', { reason });
      }
      const inner = await listAll(found, source, depth + 1);
      for (const each of inner.systems) systems.add(each);
      for (const each of inner.codes) codes.push(each);
    } else others.push(include);
  }
  if (hasExclusions || others.length > 0) {
    const rest = hasExclusions ? resource : { ...resource, compose: { ...compose, include: others } };
    const composed = await composeValueSet(rest, source);
    for (const { system, code } of await listMembers(
      composed,
      new ValueSetEvaluation({ maxSteps: MAX_STEPS, turns }),
    ))
      codes.push([system, code]);
  }
  requireFew(codes.length);
  if (systems.size > MAX_SYSTEMS) {
    throw fhirError('tooCostly', { reason: `The value set has more than ${MAX_SYSTEMS} whole code systems` });
  }
  return { systems, codes };
}

/** The system of an include that takes all of its codes. */
function wholeSystemOf(include: JsonObject): string | undefined {
  const isWhole = ['concept', 'filter', 'valueSet'].every((name) => include[name] === undefined);
  return isWhole ? stringMember(include, 'system') : undefined;
}

/** The value set of an include that has only this value set. */
function onlyImportOf(include: JsonObject): string | undefined {
  const [only, ...others] = stringsMember(include, 'valueSet');
  return include['system'] === undefined && others.length === 0 ? only : undefined;
}

/** True if all codes of the system can be listed. */
async function isListed(
  source: TerminologySource,
  system: string,
  version: string | undefined,
): Promise<boolean> {
  const codeSystem = await source.findCodeSystem(system, version);
  return codeSystem?.content === 'complete' && codeSystem.concepts !== undefined;
}

/**
 * `:above` and `:below`: the concept and its ancestors or descendants. Throws invalidParameterValue for a code system
 * without stored codes, and for a code that it does not have. Cost: one or two statements.
 */
export async function resolveSubsumption(
  services: SearchServices,
  context: RequestContext,
  name: string,
  { rows, relation, system, code }: SubsumptionPredicate,
): Promise<Predicate[]> {
  const source = terminologyOf(createTerminologyEnvironment(services, context.space));
  const written = `${system}|${code}`;
  const codeSystem = await source.findCodeSystem(system);
  if (codeSystem === undefined || !hasConcepts(codeSystem))
    throw refusal(name, written, describeNotLoaded(system, undefined, codeSystem) ?? 'it is not loaded here');
  const concept = codeSystem.find(code);
  if (concept === undefined) throw refusal(name, written, 'the code does not exist in the code system');
  const concepts = new Map([[concept.code, concept]]);
  // The iteration of a Map includes entries that are added meanwhile.
  for (const each of concepts.values()) {
    for (const next of relationsOf(each, relation)) concepts.set(next.code, next);
    requireFew(concepts.size);
  }
  return codesPredicates(
    services,
    rows,
    [...concepts.keys()].map((each) => [system, each]),
  );
}

function relationsOf({ parents, children }: Concept, relation: 'above' | 'below'): readonly Concept[] {
  return relation === 'above' ? parents : children;
}

function codesPredicates(
  services: Pick<Services, 'hasher'>,
  rows: CodeRows,
  codes: Members['codes'],
): Predicate[] {
  if (codes.length === 0) return [];
  const hashed = hashCodes(services.hasher, rows, codes);
  return rows.parameters.map((parameter) => ({ index: 'codes', parameter, codes: hashed }));
}

/** Maximum number of value sets and concepts of one parameter; each is a statement or more. */
const MAX_VALUE_SETS = 20;

/** Throws tooCostly. */
export function requireFewValueSets(anyOf: readonly Predicate[]): void {
  const count = anyOf.filter(({ index }) => index === 'valueSet' || index === 'subsumption').length;
  if (count <= MAX_VALUE_SETS) return;
  const reason = `A search parameter may name at most ${MAX_VALUE_SETS} value sets or concepts`;
  throw fhirError('tooCostly', { reason });
}

/** Merges the codes of a parameter into one predicate. Throws tooCostly for too many codes. */
export function mergeCodes(anyOf: readonly Predicate[]): Predicate[] {
  const codes = new Map<number, HashedCode[]>();
  const others: Predicate[] = [];
  for (const predicate of anyOf) {
    if (predicate.index !== 'codes') {
      others.push(predicate);
      continue;
    }
    const ofParameter = codes.get(predicate.parameter) ?? [];
    codes.set(predicate.parameter, ofParameter);
    for (const code of predicate.codes) ofParameter.push(code);
    // Codes with two spellings are hashed twice.
    requireFew(ofParameter.length / 2);
  }
  return [
    ...others,
    ...[...codes].map(([parameter, of]): Predicate => ({ index: 'codes', parameter, codes: of })),
  ];
}

function requireFew(count: number): void {
  if (count <= MAX_CODES) return;
  const reason = `At most ${MAX_CODES} codes can be searched for at once; the value set or the concept has more`;
  throw fhirError('tooCostly', { reason });
}

function refusal(parameter: string, value: string, reason: string): Error {
  return fhirError('invalidParameterValue', { parameter, value: value.slice(0, 200), reason });
}
