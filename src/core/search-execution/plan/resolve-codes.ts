/** Searches by terminology: replaces value sets and subtrees of code systems by their codes. */
import { turns } from '../../concurrency/turns';
import type { RequestContext, Space } from '../../context';
import { fhirError } from '../../errors';
import { type JsonObject, parseStoredObject } from '../../fhir/json';
import { type CodeSystem, type Concept, hasConcepts } from '../../fhir/terminology/code-system';
import type { ConceptKey, ConceptRow, ConceptStorage } from '../../fhir/terminology/concept-set';
import { withConcepts } from '../../fhir/terminology/stored-code-system';
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
import { hashConceptKey } from '../../terminology/concept-storage';
import { conceptsInUse } from '../../storage/search/concepts-in-use';
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

/** all: each code that matches. inUse: of large code systems only those that resources of the space have now. */
export type WantedCodes = 'all' | 'inUse';

interface CodeRequest {
  /** The parameter as written by the client. */
  readonly name: string;
  readonly codes: WantedCodes;
}

/** Codes below one of a large code system that are listed without regard to their use. */
const FEW_BELOW = 500;

type ValueSetPredicate = Extract<PendingPredicate, { index: 'valueSet' }>;
type SubsumptionPredicate = Extract<PendingPredicate, { index: 'subsumption' }>;

/** The members of a value set. */
interface Members {
  /** Code systems that it includes completely, although their codes cannot be listed here. */
  readonly systems: ReadonlySet<string>;
  readonly codes: readonly (readonly [system: string, code: string])[];
  /** True: only codes that resources have now. */
  readonly isOfUse: boolean;
}

/** The parameter whose values say which codes are in use. */
interface Use {
  readonly services: SearchServices;
  readonly space: Space;
  readonly rows: CodeRows;
}

/** True if all rows have codes in the form of `concept.token`. */
const isFolded = ({ hasFolded, hasExact }: CodeRows): boolean => hasFolded && !hasExact;

/** Yields the concepts of a set with these keys that resources have as a value of the parameter. */
async function* inUseOf(
  { services, space, rows }: Use,
  set: number,
  keys: readonly ConceptKey[],
): AsyncGenerator<readonly ConceptRow[]> {
  const hashes = keys.map((key) => hashConceptKey(services.hasher, space.number, set, key));
  for (const parameter of rows.parameters)
    yield* conceptsInUse(services.database, space.number, { parameter, set, keys: hashes });
}

/** Cache by space, version of its terminology, and name of the value set. */
const membersCache = forEachDatabase(() =>
  createCache<string, Members>({ name: 'value-set-members', scope: 'data', maxSize: 200_000 }),
);

/**
 * `:in` and `:not-in`: the codes of the value set, or of the code systems that it includes completely.
 * Throws invalidParameterValue for an unknown value set; tooCostly over 20,000 codes; notSupported if the codes
 * cannot be listed. Cost: one statement; the first time some more for the value set and each of its code systems.
 */
export async function resolveValueSet(
  services: SearchServices,
  context: RequestContext,
  { rows, valueSet }: ValueSetPredicate,
  { name, codes: wanted }: CodeRequest,
): Promise<Predicate[]> {
  const { space } = context;
  const inUse = wanted === 'inUse' && isFolded(rows) ? { services, space, rows } : undefined;
  const environment = createTerminologyEnvironment(services, space);
  const version = await environment.terminologyVersion();
  const key = `${space.number} ${version} ${valueSet}`;
  const cache = membersCache(services);
  let members = cache.get(key);
  if (members === undefined) {
    const source = terminologyOf(environment);
    const resource = await findValueSet(services, context, source, valueSet);
    if (resource === undefined) throw refusal(name, valueSet, 'the value set does not exist');
    members = await listAll(resource, source, 0, inUse);
    // Cached only if the terminology is unchanged: under the old version the entry would be wrong if that came back.
    // The view of a transaction is not cached, because its versions may never be committed.
    if (
      !members.isOfUse &&
      services.scope.isCommitted &&
      (await environment.terminologyVersion()) === version
    )
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

async function listAll(
  resource: JsonObject,
  source: TerminologySource,
  depth: number,
  inUse: Use | undefined,
): Promise<Members> {
  let isOfUse = false;
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
      const inner = await listAll(found, source, depth + 1, inUse);
      isOfUse ||= inner.isOfUse;
      for (const each of inner.systems) systems.add(each);
      for (const each of inner.codes) codes.push(each);
    } else others.push(include);
  }
  if (hasExclusions || others.length > 0) {
    const rest = hasExclusions ? resource : { ...resource, compose: { ...compose, include: others } };
    const composed = await composeValueSet(rest, source);
    const candidatesIn = (codeSystem: CodeSystem): AsyncIterable<readonly ConceptRow[]> | undefined => {
      if (inUse === undefined || codeSystem.stored === undefined) return undefined;
      isOfUse = true;
      return inUseOf(inUse, codeSystem.stored.set.number, []);
    };
    const options = { maxSteps: MAX_STEPS, turns, storage: source.concepts, candidatesIn };
    for (const { system, code } of await listMembers(composed, new ValueSetEvaluation(options)))
      codes.push([system, code]);
  }
  requireFew(codes.length);
  if (systems.size > MAX_SYSTEMS) {
    throw fhirError('tooCostly', { reason: `The value set has more than ${MAX_SYSTEMS} whole code systems` });
  }
  return { systems, codes, isOfUse };
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
  { rows, relation, system, code }: SubsumptionPredicate,
  { name, codes: wanted }: CodeRequest,
): Promise<Predicate[]> {
  const environment = createTerminologyEnvironment(services, context.space);
  const source = terminologyOf(environment);
  const written = `${system}|${code}`;
  const codeSystem = await source.findCodeSystem(system);
  if (codeSystem === undefined || !hasConcepts(codeSystem))
    throw refusal(name, written, describeNotLoaded(system, undefined, codeSystem) ?? 'it is not loaded here');
  const inUse = wanted === 'inUse' && isFolded(rows) ? { services, space: context.space, rows } : undefined;
  const codes = await withConcepts(environment, () => {
    const concept = codeSystem.find(code);
    if (concept === undefined) throw refusal(name, written, 'the code does not exist in the code system');
    return codeSystem.stored !== undefined && relation === 'below' ? concept : listRelated(concept, relation);
  });
  const listed = codes instanceof Array ? codes : await listBelow(environment, codeSystem, codes, inUse);
  return codesPredicates(
    services,
    rows,
    listed.map((each) => [system, each]),
  );
}

function listRelated(concept: Concept, relation: 'above' | 'below'): readonly string[] {
  const concepts = new Map([[concept.code, concept]]);
  // The iteration of a Map includes entries that are added meanwhile.
  for (const each of concepts.values()) {
    for (const next of relationsOf(each, relation)) concepts.set(next.code, next);
    requireFew(concepts.size);
  }
  return [...concepts.keys()];
}

/** Returns the codes of a stored concept and of those below it, where there are many only those in use. */
async function listBelow(
  storage: ConceptStorage,
  { stored }: CodeSystem,
  { code, descendants = 0 }: Concept,
  inUse: Use | undefined,
): Promise<readonly string[]> {
  if (stored === undefined) throw new Error('the code system is stored');
  const { number } = stored.set;
  const keys = [{ below: stored.fold(code) }];
  const codes: string[] = [];
  if (inUse === undefined || descendants < FEW_BELOW) {
    const numbers = await storage.findConcepts(number, { keys, words: [] }, MAX_CODES + 1);
    requireFew(numbers.length);
    for (const row of await storage.listConcepts(number, numbers)) codes.push(stored.conceptOf(row).code);
    return codes;
  }
  for await (const rows of inUseOf(inUse, number, keys)) {
    for (const row of rows) codes.push(stored.conceptOf(row).code);
    requireFew(codes.length);
  }
  return codes;
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
