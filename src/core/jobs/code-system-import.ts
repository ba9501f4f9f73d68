/**
 * Imports of large code systems (docs/use/import-terminology.md): the concepts become a set of their own, which nobody sees before it is whole;
 * then the CodeSystem names it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { choiceName } from '../../../packages/fhir-values/choice-name';
import type { CodeSystemFile, CodeSystemImport, CodeSystemImportOptions } from '../api/terminology';
import type { SingleWrites } from '../api/interactions';
import { turns } from '../concurrency/turns';
import type { RequestContext } from '../context';
import { FhirError, fhirError } from '../errors';
import { loadDefinitions } from '../fhir/definitions';
import { type JsonObject, parseStoredObject } from '../fhir/json';
import type { Release } from '../fhir/release';
import { conceptSetOf, nameConceptSet } from '../fhir/terminology/concept-set';
import { choiceMember, objectsMember, stringMember } from '../fhir/terminology/members';
import { codeKey, declareProperties, readStatus } from '../fhir/terminology/read-code-system';
import type { SearchServices, Services } from '../ports';
import {
  beginConceptSet,
  finishConceptSet,
  listConceptSets,
  removeConceptSet,
} from '../storage/terminology/concepts';
import { ConceptGraph, refusal } from '../terminology/concept-graph';
import { ConceptWriter, PORTION, type WrittenConcept } from '../terminology/concept-writer';

/** Concepts that are made before others have their turn. */
const TURN = 50;
/** Seconds after which an import that says nothing is over. */
const SILENCE = 60;
/** A request takes less. */
const LAST_READERS_MS = 15_000;
/** Milliseconds for one interaction. */
const INTERACTION_MS = 60_000;
/** CodeSystems of one url. */
const MAX_VERSIONS = 200;

export interface CodeSystemImportTools {
  readonly services: SearchServices & Pick<Services, 'validator'>;
  readonly interactions: Pick<SingleWrites, 'updateWhere'> & {
    search(
      context: RequestContext,
      request: { readonly type: string; readonly parameters: readonly (readonly [string, string])[] },
    ): Promise<{ readonly matches: readonly { readonly text: string }[] }>;
  };
}

/**
 * Stores a code system and its concepts. Until its last statement everybody reads the version before; the end of the process leaves
 * nothing behind but rows that the next import removes. Throws `ruleViolated` for concepts that make no code system, and as an update does.
 * Cost: some 100 microseconds for each concept.
 */
export async function importCodeSystem(
  tools: CodeSystemImportTools,
  context: RequestContext,
  file: CodeSystemFile,
  given: CodeSystemImportOptions = {},
): Promise<CodeSystemImport> {
  const { signal, report, lastReadersMs = LAST_READERS_MS, renew, beforeShown, mostBytes } = given;
  const { connections } = tools.services;
  const space = context.space.number;
  const inTime = async (): Promise<RequestContext> => ({
    ...((await renew?.()) ?? context),
    // Each interaction of an import has as much time as a request.
    deadline: Date.now() + INTERACTION_MS,
  });
  const url = stringMember(file.head, 'url');
  const version = stringMember(file.head, 'version');
  if (url === undefined) throw fhirError('ruleViolated', { reason: 'The CodeSystem to import has no url' });
  const before = await findVersions(tools, await inTime(), url);
  const current = before.find((each) => stringMember(each, 'version') === version);
  const sets = await listConceptSets(connections, space, url);
  const currentSet = current === undefined ? undefined : conceptSetOf(current);
  const same = sets.find(({ number }) => number === currentSet);
  for (const { number, isReady, silence } of sets) {
    const isNamed = before.some((each) => conceptSetOf(each) === number);
    if (!isNamed && (isReady || silence > SILENCE))
      await removeConceptSet(connections, { space, set: number });
  }
  if (current !== undefined && same?.isReady === true && same.digest.equals(file.digest))
    return { outcome: 'unchanged', id: idOf(current), concepts: Number(current['count'] ?? 0) };

  const check = given.isChecked === true ? elementCheck(tools, context.space.release) : undefined;
  check?.(file.head, file.line === undefined ? undefined : 1);
  const elements = new ConceptElements(file.head, mostBytes);
  const { graph } = elements;
  for await (const element of file.concepts()) {
    const line = file.line?.();
    check?.(toSystem(element), line);
    inLine(line, () => elements.add(element));
    if (graph.size % TURN !== 0) continue;
    signal?.throwIfAborted();
    if (graph.size % PORTION === 0) report?.({ read: graph.size, stored: 0 });
    await turns.take();
  }
  await graph.close();
  const set = await beginConceptSet(connections, space, { url, version, digest: file.digest });
  const storing = new ConceptWriter(tools.services, { space, set }, graph);
  try {
    for await (const element of file.concepts()) {
      if (!(await storing.add(elements.toWritten(element)))) throw interrupted();
      if (storing.count % PORTION !== 0) continue;
      signal?.throwIfAborted();
      report?.({ read: graph.size, stored: storing.count });
    }
    if (!(await storing.flush())) throw interrupted();
    const whole = {
      url,
      version,
      number: set,
      concepts: storing.count,
      isHierarchical: graph.isHierarchical,
    };
    if (!(await finishConceptSet(connections, space, whole))) throw interrupted();
    const resource = nameConceptSet(declareUsed(file.head, elements, context.space.release), whole);
    const writing = await inTime();
    await beforeShown?.();
    signal?.throwIfAborted();
    const { id } = (await write(tools, writing, resource, { url, version })).version;
    report?.({ read: graph.size, stored: storing.count });
    const replaced = sets.find(({ number }) => number === currentSet);
    // The import is done: one that is stopped here leaves what it has replaced to the next one.
    if (replaced !== undefined && (await hasPassed(lastReadersMs, signal)))
      await removeConceptSet(connections, { space, set: replaced.number });
    return { outcome: 'stored', id, concepts: storing.count };
  } catch (error) {
    const isNamed = (await findVersions(tools, await inTime(), url)).some(
      (each) => conceptSetOf(each) === set,
    );
    if (!isNamed) await removeConceptSet(connections, { space, set });
    if (error instanceof RangeError) throw changed();
    throw error;
  }
}

/** False: the signal came before the end of this time. */
async function hasPassed(milliseconds: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await delay(milliseconds, undefined, signal === undefined ? {} : { signal });
    return true;
  } catch {
    return false;
  }
}

/** Returns what throws `ruleViolated` for a CodeSystem that is not valid. Cost: some 10 µs for one concept. */
function elementCheck(
  { services }: CodeSystemImportTools,
  release: Release,
): (resource: JsonObject, line: number | undefined) => void {
  const validator = services.validator(release);
  return (resource, line) => {
    const { findings } = validator.validate(resource, { isFull: true });
    const found = findings.find(({ severity }) => severity === 'error');
    if (found === undefined) return;
    const place = found.expression === '' ? '' : ` (${found.expression})`;
    inLine(line, () => {
      throw refusal(`${found.diagnostics}${place}`);
    });
  };
}

/** The least CodeSystem that an element of `CodeSystem.concept` can be checked in. */
const toSystem = (element: JsonObject): JsonObject => ({
  ...{ resourceType: 'CodeSystem', status: 'active', content: 'fragment' },
  concept: [element],
});

/** What `work` refuses is refused with the number of the line. */
function inLine(line: number | undefined, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (line === undefined || !(error instanceof FhirError)) throw error;
    throw fhirError('ruleViolated', { reason: `Line ${line}: ${error.message}` });
  }
}

const idOf = (resource: JsonObject): string => stringMember(resource, 'id') ?? '';

/** Returns the CodeSystems of this url. */
async function findVersions(
  { interactions }: CodeSystemImportTools,
  context: RequestContext,
  url: string,
): Promise<readonly JsonObject[]> {
  const parameters = [
    ['url', url],
    ['_count', String(MAX_VERSIONS)],
  ] as const;
  const { matches } = await interactions.search(context, { type: 'CodeSystem', parameters });
  return matches.map(({ text }) => parseStoredObject(text));
}

function write(
  { interactions }: CodeSystemImportTools,
  context: RequestContext,
  resource: JsonObject,
  { url, version }: { readonly url: string; readonly version: string | undefined },
): ReturnType<SingleWrites['updateWhere']> {
  const criteria = [
    ['url', url] as const,
    version === undefined ? (['version:missing', 'true'] as const) : (['version', version] as const),
  ];
  return interactions.updateWhere(context, {
    type: 'CodeSystem',
    input: { value: resource, marked: false },
    criteria,
  });
}

function interrupted(): Error {
  const reason = 'The import was given up: another import of this code system has removed what it had stored';
  return fhirError('ruleViolated', { reason });
}

function changed(): Error {
  return fhirError('ruleViolated', { reason: 'The concepts changed while they were imported' });
}

/** Returns CodeSystem.property.type by the `value[x]` of concepts. */
function propertyTypes(release: Release): ReadonlyMap<string, string> {
  const value = loadDefinitions(release).structure('CodeSystem')?.element('concept.property.value[x]');
  return new Map((value?.types ?? []).map(({ code }) => [choiceName('value', code), code]));
}

/** Returns the CodeSystem with the properties that concepts use and that it does not declare. */
function declareUsed(head: JsonObject, { valueMembers }: ConceptElements, release: Release): JsonObject {
  const declared = objectsMember(head, 'property');
  const known = new Set(declared.map(({ code }) => code));
  const types = propertyTypes(release);
  const used = [...valueMembers].flatMap(([code, member]) => {
    const type = types.get(member);
    return known.has(code) || type === undefined ? [] : [{ code, type }];
  });
  return used.length === 0 ? head : { ...head, property: [...declared, ...used] };
}

/** Reads elements of `CodeSystem.concept`: into the graph of their hierarchy, and then as they are stored. */
class ConceptElements {
  readonly graph: ConceptGraph;
  /** The `value[x]` that a property has, by its code. */
  readonly valueMembers = new Map<string, string>();
  private readonly propertyCodes = new Set<string>();
  /** Meanings of properties by their codes, as `declareProperties` returns them. */
  private readonly meanings: ReadonlyMap<string, string>;
  private readonly fold: (code: string) => string;

  constructor(head: JsonObject, mostBytes?: number) {
    this.graph = new ConceptGraph(mostBytes);
    this.fold = codeKey(head);
    this.meanings = declareProperties(head, this.propertyCodes);
  }

  /** Adds a concept to the graph. Throws `ruleViolated` for one without a code, with concepts inside, or whose code was there. */
  add(element: JsonObject): void {
    const { graph } = this;
    const code = stringMember(element, 'code');
    if (code === undefined) throw refusal(`concept ${graph.size + 1} has no code`);
    if (element['concept'] !== undefined)
      throw refusal(`the concept ${code} has concepts inside: name their parent by a property instead`);
    const folded = this.fold(code);
    graph.add(folded);
    for (const property of objectsMember(element, 'property')) {
      const name = stringMember(property, 'code') ?? '';
      const value = choiceMember(property);
      if (value === undefined) continue;
      this.propertyCodes.add(name);
      if (!this.valueMembers.has(name)) this.valueMembers.set(name, value[0]);
      const meaning = this.meanings.get(name);
      if (typeof value[1] !== 'string') continue;
      if (meaning === 'parent') graph.connect(this.fold(value[1]), folded);
      else if (meaning === 'child') graph.connect(folded, this.fold(value[1]));
    }
  }

  toWritten(element: JsonObject): WrittenConcept {
    const folded = this.fold(stringMember(element, 'code') ?? '');
    return { folded, ...readStatus(element, this.meanings, this.propertyCodes), element };
  }
}
