/**
 * POST {root}/$closure and {root}/ConceptMap/$closure
 *
 * In: name; concept (Coding, repeated) or version, or neither, which begins the table anew.
 * Result: a ConceptMap with the pairs that the concepts add, or with all since that version, and the version of the table.
 * https://hl7.org/fhir/R4/conceptmap-operation-closure.html, https://hl7.org/fhir/R4/terminology-service.html#closure
 */
import { turns } from '../concurrency/turns';
import { FhirError, fhirError, type ErrorKey } from '../errors';
import { isJsonObject, type JsonObject } from '../fhir/json';
import { isValidId } from '../fhir/resource';
import {
  closurePairs,
  unknownCodes,
  type ClosureCodes,
  type ClosureConcept,
  type ClosurePair,
  type ClosureSystem,
  type ClosureTable,
} from '../fhir/terminology/closure';
import { type CodeSystem } from '../fhir/terminology/code-system';
import { type OperationEnvironment } from '../operation-types/environment';
import { type ReadOperation } from '../operation-types/operation';
import { type InputParameters } from '../operation-types/parameters';
import { findCodeSystem, toCode } from './terminology';

/** Closure tables of a space that are in use. */
const MAX_TABLES = 100;
/** Concepts of one closure table. */
const MAX_CONCEPTS = 10_000;
const MAX_CONCEPTS_OF_REQUEST = 1_000;
/** Code systems of one closure table. */
const MAX_SYSTEMS = 50;
/** Pairs in one answer. */
const MAX_PAIRS = 50_000;
/** The name, the system and the code are one key of an index, whose size PostgreSQL limits. */
const LONGEST_NAME = 64;
const LONGEST_TEXT = 255;

export const conceptMapClosure: ReadOperation = {
  definition: 'http://hl7.org/fhir/OperationDefinition/ConceptMap-closure',
  // The level of R5.
  alsoAt: ['type'],
  async run(environment, { parameters }) {
    const name = nameOf(parameters);
    const concepts = conceptsOf(parameters);
    const since = parameters.text('version');
    if (since !== undefined && concepts.length > 0) {
      const reason = 'Either concept or version may be given, and not both';
      throw fhirError('operationInputInvalid', { reason }, parameters.first('version')?.expression);
    }
    if (since !== undefined) return { resource: await changesSince(environment, name, since) };
    if (concepts.length > 0) return { resource: await addConcepts(environment, name, concepts) };
    const version = await environment.startClosure(name, MAX_TABLES);
    if (version !== undefined) return { resource: toConceptMap(name, version, []) };
    const reason = `There are ${MAX_TABLES} closure tables; one that is not used for 30 days makes room for another`;
    throw fhirError('tooCostly', { reason }, parameters.first('name')?.expression);
  },
};

/** A concept of the request, with the version of the code system that it names. */
interface GivenConcept extends ClosureConcept {
  readonly version: string | undefined;
}

function nameOf(parameters: InputParameters): string {
  const name = parameters.text('name') ?? '';
  if (name.length <= LONGEST_NAME && /\S/.test(name) && !/\p{Cc}/u.test(name)) return name;
  const diagnostics = `The name of a closure table has 1 to ${LONGEST_NAME} characters, and no control characters`;
  throw toError('operationInputInvalid', {
    text: `invalid closure name "${name.slice(0, LONGEST_NAME)}"`,
    ...{ diagnostics, expression: parameters.first('name')?.expression },
  });
}

const keyOf = ({ system, code }: ClosureConcept): string => JSON.stringify([system, code]);

/** Returns the concepts of the request, each once. */
function conceptsOf(parameters: InputParameters): readonly GivenConcept[] {
  const values = parameters.values.filter(({ name }) => name === 'concept');
  if (values.length > MAX_CONCEPTS_OF_REQUEST) {
    const reason = `At most ${MAX_CONCEPTS_OF_REQUEST} concepts are added at once`;
    throw fhirError('tooCostly', { reason }, values[MAX_CONCEPTS_OF_REQUEST]?.expression);
  }
  const concepts = new Map<string, GivenConcept>();
  for (const { value, expression } of values) {
    const { system, version, code } = toCode(isJsonObject(value) ? value : {}, expression);
    const refuse = (reason: string): never => {
      throw fhirError('operationInputInvalid', { reason }, expression);
    };
    if (system === undefined) return refuse('A concept of a closure table needs the system of its code');
    if (system.length > LONGEST_TEXT || code.length > LONGEST_TEXT)
      return refuse(`The system and the code of a concept have at most ${LONGEST_TEXT} characters`);
    concepts.set(keyOf({ system, code }), { system, code, version });
  }
  return [...concepts.values()];
}

/** The new pairs of one code system. */
interface PairsOfSystem {
  readonly codeSystem: CodeSystem;
  readonly pairs: readonly ClosurePair[];
}

/**
 * Adds concepts and returns the pairs of the new ones. The pairs are found by the concepts of one version of the table, and the
 * concepts are only added to that version: it begins again where another request was faster.
 */
async function addConcepts(
  environment: OperationEnvironment,
  name: string,
  concepts: readonly GivenConcept[],
): Promise<JsonObject> {
  for (;;) {
    const table = await requireTable(environment, name);
    const known = new Set(table.concepts.map(keyOf));
    const added = concepts.filter((concept) => !known.has(keyOf(concept)));
    if (added.length === 0) return toConceptMap(name, table.version, []);
    if (known.size + added.length > MAX_CONCEPTS) {
      const reason = `A closure table has at most ${MAX_CONCEPTS} concepts`;
      throw fhirError('tooCostly', { reason }, 'Parameters.parameter');
    }
    const systems = new Map(Object.entries(table.systems));
    const knownOf = codesBySystem(table.concepts);
    const found: PairsOfSystem[] = [];
    for (const [system, codes] of codesBySystem(added)) {
      const { codeSystem, used } = await findUsed(
        environment,
        { name, table },
        system,
        versionOf(added, system),
      );
      await requireCodes(environment, codeSystem, codes);
      systems.set(system, used);
      found.push(
        await findPairs(environment, codeSystem, { added: codes, known: knownOf.get(system) ?? [] }),
      );
    }
    if (systems.size > MAX_SYSTEMS) {
      const reason = `A closure table has concepts of at most ${MAX_SYSTEMS} code systems`;
      throw fhirError('tooCostly', { reason }, 'Parameters.parameter');
    }
    requireFew(found, 'add fewer concepts at once');
    const { version } = table;
    const change = { name, version, systems: Object.fromEntries(systems), concepts: added };
    const next = await environment.addToClosure(change);
    if (next !== undefined) return toConceptMap(name, next, found);
    if (Date.now() > environment.context.deadline) throw fhirError('bundleConflict');
  }
}

/** Returns the pairs that were added since a version; those of all concepts since 0. */
async function changesSince(
  environment: OperationEnvironment,
  name: string,
  since: string,
): Promise<JsonObject> {
  const table = await requireTable(environment, name);
  const { version, started, concepts } = table;
  const from = /^\d{1,18}$/.test(since) ? BigInt(since) : -1n;
  if (from !== 0n && (from < BigInt(started) || from > BigInt(version)))
    throw toBeStartedAgain(name, `The closure table has no version '${since.slice(0, 80)}' any more`);
  const isNew = (concept: { readonly version: string }): boolean => BigInt(concept.version) > from;
  const knownOf = codesBySystem(concepts.filter((concept) => !isNew(concept)));
  const found: PairsOfSystem[] = [];
  for (const [system, added] of codesBySystem(concepts.filter(isNew))) {
    const { codeSystem } = await findUsed(environment, { name, table }, system, undefined);
    found.push(await findPairs(environment, codeSystem, { added, known: knownOf.get(system) ?? [] }));
  }
  requireFew(found, 'begin the closure table again, and add the concepts in portions');
  return toConceptMap(name, version, found);
}

async function requireTable(environment: OperationEnvironment, name: string): Promise<ClosureTable> {
  const table = await environment.readClosure(name, MAX_CONCEPTS + 1);
  if (table !== undefined) return table;
  throw toError('notFoundInTerminology', {
    text: `invalid closure name "${name}"`,
    diagnostics: `The closure table '${name}' does not exist; send its name alone to begin it`,
  });
}

function codesBySystem(concepts: readonly ClosureConcept[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { system, code } of concepts) {
    const codes = found.get(system);
    if (codes === undefined) found.set(system, [code]);
    else codes.push(code);
  }
  return found;
}

/** Returns the version that the concepts of a system name. */
function versionOf(concepts: readonly GivenConcept[], system: string): string | undefined {
  const named = new Set(concepts.flatMap((each) => (each.system === system ? (each.version ?? []) : [])));
  const [version, other] = named;
  if (other === undefined) return version;
  const reason = `A closure table has one version of a code system, and the concepts of ${system} name two: ${version ?? ''} and ${other}`;
  throw fhirError('operationInputInvalid', { reason }, 'Parameters.parameter');
}

/**
 * Returns the code system and what the table notes of it. Its key is read before its concepts, so that pairs of a later version are
 * found out. Throws `ruleViolated` if the pairs of the table were found by another version.
 */
async function findUsed(
  environment: OperationEnvironment,
  { name, table }: { readonly name: string; readonly table: ClosureTable },
  system: string,
  named: string | undefined,
): Promise<{ readonly codeSystem: CodeSystem; readonly used: ClosureSystem }> {
  const before = Object.hasOwn(table.systems, system) ? table.systems[system] : undefined;
  const version = named ?? before?.version;
  const stored = await environment.findCanonicalKey('CodeSystem', system, version);
  const codeSystem = await findCodeSystem(environment, system, version);
  const key = codeSystem.isBuiltIn ? 'built-in' : (stored ?? '');
  if (before !== undefined && before.key !== key)
    throw toBeStartedAgain(
      name,
      `The code system ${system} is another version than that of the closure table`,
    );
  return { codeSystem, used: before ?? { key, ...(version === undefined ? {} : { version }) } };
}

async function requireCodes(
  environment: OperationEnvironment,
  codeSystem: CodeSystem,
  codes: readonly string[],
): Promise<void> {
  const unknown = await unknownCodes(codeSystem, codes, environment);
  if (unknown.length === 0) return;
  const some = unknown.slice(0, 10).map((code) => `'${code}'`);
  const reason = `The code system ${codeSystem.url} has no code ${some.join(', ')}${unknown.length > some.length ? ' …' : ''}`;
  throw fhirError('notFoundInTerminology', { reason }, 'Parameters.parameter');
}

async function findPairs(
  environment: OperationEnvironment,
  codeSystem: CodeSystem,
  codes: ClosureCodes,
): Promise<PairsOfSystem> {
  await turns.take();
  const search = { storage: environment, turns, limit: MAX_PAIRS + 1 };
  return { codeSystem, pairs: await closurePairs(codeSystem, codes, search) };
}

function requireFew(found: readonly PairsOfSystem[], advice: string): void {
  const count = found.reduce((sum, { pairs }) => sum + pairs.length, 0);
  if (count <= MAX_PAIRS) return;
  const reason = `The answer has more than ${MAX_PAIRS} pairs of concepts: ${advice}`;
  throw fhirError('tooCostly', { reason }, 'Parameters.parameter');
}

function toBeStartedAgain(name: string, why: string): FhirError {
  const diagnostics = `${why}: send its name alone, and then all concepts again`;
  return toError('ruleViolated', { text: `closure "${name}" must be reinitialized`, diagnostics });
}

/** `text`: in the words of the specification. */
function toError(
  key: ErrorKey,
  of: { readonly text: string; readonly diagnostics: string; readonly expression?: string | undefined },
): FhirError {
  const { text, diagnostics, expression } = of;
  const [issue] = fhirError(key, { reason: diagnostics }, expression).issues;
  return new FhirError(key, issue === undefined ? [] : [{ ...issue, details: { text } }]);
}

/** Each pair is read from the code to the one that subsumes it. */
function toConceptMap(name: string, version: string, found: readonly PairsOfSystem[]): JsonObject {
  const group = found.filter(({ pairs }) => pairs.length > 0).map(toGroup);
  return {
    resourceType: 'ConceptMap',
    ...(isValidId(name) ? { id: name } : {}),
    version,
    name: `Updates for Closure Table ${name}`,
    status: 'active',
    experimental: true,
    date: new Date().toISOString(),
    ...(group.length === 0 ? {} : { group }),
  };
}

function toGroup({ codeSystem: { url, version }, pairs }: PairsOfSystem): JsonObject {
  const targets = new Map<string, JsonObject[]>();
  for (const { code, other, isEqual } of pairs) {
    const target = { code: other, equivalence: isEqual ? 'equal' : 'subsumes' };
    const of = targets.get(code);
    if (of === undefined) targets.set(code, [target]);
    else of.push(target);
  }
  return {
    source: url,
    ...(version === undefined ? {} : { sourceVersion: version }),
    target: url,
    ...(version === undefined ? {} : { targetVersion: version }),
    element: [...targets].map(([code, target]) => ({ code, target })),
  };
}
