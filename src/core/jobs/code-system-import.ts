/**
 * Imports of large code systems (docs/use/terminology.md): the concepts become a set of their own, which nobody sees before it is whole;
 * then the CodeSystem names it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { CodeSystemFile, CodeSystemImport, CodeSystemImportOptions } from '../api/terminology';
import type { SingleWrites } from '../api/interactions';
import { turns } from '../concurrency/turns';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import { type JsonObject, parseStoredObject, stringifyJson } from '../fhir/json';
import { propertyValues } from '../fhir/terminology/code-system';
import { conceptSetOf, nameConceptSet, wordsOf, type ConceptKey } from '../fhir/terminology/concept-set';
import { objectsMember, stringMember } from '../fhir/terminology/members';
import { readStatus } from '../fhir/terminology/read-code-system';
import type { SearchServices } from '../ports';
import { foldCode } from '../search/rows/token';
import { keyText } from '../storage/read/version-row';
import {
  addConcepts,
  beginConceptSet,
  finishConceptSet,
  listConceptSets,
  removeConceptSet,
  type NewConcept,
} from '../storage/terminology/concepts';
import { hashConceptKey, OF_SET } from '../terminology/concept-storage';
import { ConceptGraph } from './concept-graph';

/** Concepts that one statement stores. */
const PORTION = 1_000;
/** Concepts that are made before others have their turn. */
const TURN = 50;
/** Seconds after which an import that says nothing is over. */
const SILENCE = 60;
/** A request takes less. */
const LAST_READERS_MS = 15_000;
/** Limit on a word that is searched for. */
const LONGEST_WORD = 100;
/** Milliseconds for one interaction. */
const INTERACTION_MS = 60_000;
/** CodeSystems of one url. */
const MAX_VERSIONS = 200;

export interface CodeSystemImportTools {
  readonly services: SearchServices;
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
  { signal, report, lastReadersMs = LAST_READERS_MS }: CodeSystemImportOptions = {},
): Promise<CodeSystemImport> {
  const { connections } = tools.services;
  const space = context.space.number;
  const url = stringMember(file.head, 'url');
  const version = stringMember(file.head, 'version');
  if (url === undefined) throw fhirError('ruleViolated', { reason: 'The CodeSystem to import has no url' });
  const before = await findVersions(tools, context, url);
  const current = before.find((each) => stringMember(each, 'version') === version);
  const sets = await listConceptSets(connections, space, url);
  const currentSet = current === undefined ? undefined : conceptSetOf(current);
  const same = sets.find(({ number }) => number === currentSet);
  if (current !== undefined && same?.isReady === true && same.digest.equals(file.digest))
    return { outcome: 'unchanged', id: idOf(current), concepts: Number(current['count'] ?? 0) };
  for (const { number, isReady, silence } of sets) {
    const isNamed = before.some((each) => conceptSetOf(each) === number);
    if (!isNamed && (isReady || silence > SILENCE))
      await removeConceptSet(connections, { space, set: number });
  }

  const graph = new ConceptGraph(file.head);
  for await (const element of file.concepts()) {
    graph.add(element);
    if (graph.size % TURN !== 0) continue;
    signal?.throwIfAborted();
    if (graph.size % PORTION === 0) report?.({ read: graph.size, stored: 0 });
    await turns.take();
  }
  graph.close();
  const set = await beginConceptSet(connections, space, { url, version, digest: file.digest });
  const storing = new ConceptWriter(tools.services, space, set, graph);
  try {
    for await (const element of file.concepts()) {
      await storing.add(element);
      if (storing.count % PORTION !== 0) continue;
      signal?.throwIfAborted();
      report?.({ read: graph.size, stored: storing.count });
    }
    await storing.flush();
    const whole = {
      url,
      version,
      number: set,
      concepts: storing.count,
      isHierarchical: graph.isHierarchical,
    };
    if (!(await finishConceptSet(connections, space, whole))) throw interrupted();
    const resource = nameConceptSet(declareUsed(file.head, graph), whole);
    const { id } = (await write(tools, context, resource, { url, version })).version;
    report?.({ read: graph.size, stored: storing.count });
    const replaced = sets.find(({ number }) => number === currentSet);
    if (replaced !== undefined) {
      await delay(lastReadersMs, undefined, signal === undefined ? {} : { signal });
      await removeConceptSet(connections, { space, set: replaced.number });
    }
    return { outcome: 'stored', id, concepts: storing.count };
  } catch (error) {
    const isNamed = (await findVersions(tools, context, url)).some((each) => conceptSetOf(each) === set);
    if (!isNamed) await removeConceptSet(connections, { space, set });
    throw error;
  }
}

/** Each interaction of an import has as much time as a request. */
function inTime(context: RequestContext): RequestContext {
  return { ...context, deadline: Date.now() + INTERACTION_MS };
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
  const { matches } = await interactions.search(inTime(context), { type: 'CodeSystem', parameters });
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
  return interactions.updateWhere(inTime(context), {
    type: 'CodeSystem',
    input: { value: resource, marked: false },
    criteria,
  });
}

function interrupted(): Error {
  const reason = 'The import was given up: another import of this code system has removed what it had stored';
  return fhirError('ruleViolated', { reason });
}

/** CodeSystem.property.type by the `value[x]` of concepts. */
const PROPERTY_TYPES: Readonly<Record<string, string>> = {
  valueCode: 'code',
  valueCoding: 'Coding',
  valueString: 'string',
  valueInteger: 'integer',
  valueBoolean: 'boolean',
  valueDateTime: 'dateTime',
  valueDecimal: 'decimal',
};

/** Returns the CodeSystem with the properties that concepts use and that it does not declare. */
function declareUsed(head: JsonObject, { valueMembers }: ConceptGraph): JsonObject {
  const declared = objectsMember(head, 'property');
  const known = new Set(declared.map(({ code }) => code));
  const used = [...valueMembers].flatMap(([code, member]) => {
    const type = PROPERTY_TYPES[member];
    return known.has(code) || type === undefined ? [] : [{ code, type }];
  });
  return used.length === 0 ? head : { ...head, property: [...declared, ...used] };
}

/** Stores the concepts of one set in portions. */
class ConceptWriter {
  count = 0;
  private portion: NewConcept[] = [];
  /** The key of each concept that others are found below, by its number. */
  private readonly ownKeys: string[] = [];

  constructor(
    private readonly services: SearchServices,
    readonly space: number,
    readonly set: number,
    private readonly graph: ConceptGraph,
  ) {}

  async add(element: JsonObject): Promise<void> {
    this.portion.push(this.toConcept(element));
    this.count++;
    if (this.count % TURN === 0) await turns.take();
    if (this.portion.length >= PORTION) await this.flush();
  }

  async flush(): Promise<void> {
    const { portion } = this;
    this.portion = [];
    if (portion.length === 0) return;
    if (!(await addConcepts(this.services.connections, this, portion))) throw interrupted();
  }

  private toConcept(element: JsonObject): NewConcept {
    const { graph, services } = this;
    const code = stringMember(element, 'code') ?? '';
    const folded = graph.fold(code);
    const own = graph.numberOf(folded);
    if (own === undefined || own !== this.count)
      throw fhirError('ruleViolated', { reason: 'The concepts changed while they were imported' });
    const parents = graph.parentsOf(own).map((number) => graph.codeOf(number));
    const high = services.hasher.text(foldCode(code));
    const token = keyText({ high, low: services.hasher.low });
    return {
      number: own + 1,
      ...{ folded, token, parents },
      ...readStatus(element, graph.meanings, graph.propertyCodes),
      descendants: graph.descendantsOf(own),
      keys: [...this.keysOf(own, element, parents)],
      words: [...wordsOf(textsOf(element))].map((word) => word.slice(0, LONGEST_WORD)),
      element: stringifyJson(element, true),
    };
  }

  /** Returns the keys of a concept, its own first. */
  private keysOf(own: number, element: JsonObject, parents: readonly string[]): Set<string> {
    const keys = new Set([this.ownKey(own), this.hash(OF_SET)]);
    for (const above of this.graph.ancestorsOf(own)) keys.add(this.ownKey(above));
    for (const value of parents) keys.add(this.hash({ property: 'parent', value }));
    const names = new Set(
      objectsMember(element, 'property').flatMap((each) => stringMember(each, 'code') ?? []),
    );
    for (const property of names) {
      if (property === 'parent') continue;
      for (const value of propertyValues(element, property)) keys.add(this.hash({ property, value }));
    }
    return keys;
  }

  private ownKey(number: number): string {
    return (this.ownKeys[number] ??= this.hash({ below: this.graph.codeOf(number) }));
  }

  private hash(key: ConceptKey): string {
    return hashConceptKey(this.services.hasher, this.space, this.set, key);
  }
}

/** The texts of a concept that people search. */
function textsOf(element: JsonObject): readonly string[] {
  const designations = objectsMember(element, 'designation').map((each) => stringMember(each, 'value'));
  return [stringMember(element, 'code'), stringMember(element, 'display'), ...designations].filter(
    (text) => text !== undefined,
  );
}
