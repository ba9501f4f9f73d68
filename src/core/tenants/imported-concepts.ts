/** The concepts of code systems in the import of a tenant: a line for each set, and then one for each of its concepts. */
import { createHash, type Hash } from 'node:crypto';
import { FhirError } from '../errors';
import {
  isJsonObject,
  parseStoredObject,
  stringifyJson,
  type JsonObject,
  type JsonValue,
} from '../fhir/json';
import type { Release } from '../fhir/release';
import type { Services } from '../ports';
import { isDatabaseTrouble } from '../storage/connection/database-error';
import type { OwnerSession } from '../storage/connection/owner-session';
import { finishConceptSet, removeConceptSet } from '../storage/terminology/concepts';
import {
  addMovedSet,
  CONCEPT_TABLES,
  ConceptSpool,
  listPresentSets,
  type MovedSet,
  type PresentSet,
} from '../storage/terminology/moved-concepts';
import { ConceptGraph } from '../terminology/concept-graph';
import { ConceptWriter } from '../terminology/concept-writer';

export interface ImportedConceptsOptions {
  readonly session: OwnerSession;
  readonly services: Pick<Services, 'connections' | 'hasher'>;
  readonly spaces: ReadonlyMap<Release, number>;
}

/** Greater numbers would leave none for the sets of later imports. */
const GREATEST_NUMBER = 1_000_000_000;

/** The set whose lines are being read. */
interface OpenSet extends MovedSet {
  readonly space: number;
  readonly hash: Hash;
  readonly graph: ConceptGraph;
  /** The same set, if an import that was interrupted has stored it. */
  readonly present: PresentSet | undefined;
}

/**
 * Stores the sets of an import under their numbers, but in the spaces of the new tenant. What follows from the concepts (hashes, words,
 * those below each) is made here, so that a line cannot state it. **Memory**: the codes of one set, and their hierarchy.
 */
export class ImportedConcepts {
  private readonly spool: ConceptSpool;
  /** By space and number, what an import that was interrupted has stored. */
  private readonly present = new Map<string, PresentSet>();
  private readonly seen = new Set<string>();
  private open: OpenSet | undefined;

  constructor(private readonly options: ImportedConceptsOptions) {
    this.spool = new ConceptSpool(options.session);
  }

  static isTable(table: JsonValue | undefined): boolean {
    return CONCEPT_TABLES.some((each) => each === table);
  }

  /** Removes the set that an interrupted import was storing. Those that are whole are not stored again. */
  async begin(): Promise<void> {
    const { connections } = this.options.services;
    for (const space of this.options.spaces.values())
      for (const each of await listPresentSets(connections, space))
        if (each.isReady) this.present.set(`${space} ${each.number}`, each);
        else await removeConceptSet(connections, { space, set: each.number });
  }

  /** Takes a line of one of the tables. Returns what is wrong with it. */
  add(table: string, row: JsonObject): Promise<string | undefined> {
    return withFault(() => (table === 'concept_set' ? this.addSet(row) : this.addConcept(row)));
  }

  /** Stores the set whose lines have ended. Returns what is wrong with it. */
  end(): Promise<string | undefined> {
    const { open } = this;
    this.open = undefined;
    return open === undefined ? Promise.resolve(undefined) : withFault(() => this.store(open));
  }

  private async addSet(row: JsonObject): Promise<string | undefined> {
    const fault = await this.end();
    if (fault !== undefined) return fault;
    const { release, number, url, version } = row;
    const space = [...this.options.spaces].find(([each]) => each === release)?.[1];
    if (space === undefined) return 'it names no release';
    const isNumber = typeof number === 'number' && Number.isInteger(number) && number >= 1;
    if (!isNumber || number > GREATEST_NUMBER || typeof url !== 'string') return NO_SET;
    if (version !== undefined && typeof version !== 'string') return NO_SET;
    const key = `${space} ${number}`;
    if (this.seen.has(key)) return 'its number is that of another set';
    this.seen.add(key);
    const present = this.present.get(key);
    const hash = createHash('sha256').update(stringifyJson(row, true)).update('\n');
    this.open = { ...{ space, number, url, version, present, hash }, graph: new ConceptGraph() };
    if (present === undefined) await this.spool.empty();
    return undefined;
  }

  private async addConcept(row: JsonObject): Promise<string | undefined> {
    const { open } = this;
    if (open === undefined) return 'it follows no set';
    const concept = readConcept(row);
    if (concept === undefined) return 'it is not a concept of a code system';
    open.hash.update(stringifyJson(row, true)).update('\n');
    if (open.present !== undefined) return undefined;
    const { folded, parents, isAbstract, isInactive } = concept;
    open.graph.add(folded);
    for (const parent of parents) open.graph.connect(parent, folded);
    await this.spool.add({ folded, isAbstract, isInactive, element: stringifyJson(concept.element, true) });
    return undefined;
  }

  private async store({
    space,
    number,
    url,
    version,
    hash,
    graph,
    present,
  }: OpenSet): Promise<string | undefined> {
    const { services } = this.options;
    const digest = hash.digest();
    if (present !== undefined)
      return present.digest.equals(digest) ? undefined : 'its set is another than before the interruption';
    await graph.close();
    await addMovedSet(services.connections, space, { number, url, version, digest });
    const writer = new ConceptWriter(services, { space, set: number }, graph);
    let isStored = true;
    for await (const { element, ...concept } of this.spool.read())
      isStored &&= await writer.add({ ...concept, element: parseStoredObject(element) });
    isStored &&= await writer.flush();
    const { isHierarchical } = graph;
    isStored &&= await finishConceptSet(services.connections, space, {
      ...{ number, isHierarchical, concepts: writer.count },
    });
    await this.spool.empty();
    return isStored ? undefined : 'its set was removed by another process';
  }
}

const NO_SET = 'it is not a set of concepts';

/** Returns what the concepts of a line make impossible as the fault of the line. */
async function withFault(work: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isDatabaseTrouble(error)) throw error;
    return error instanceof FhirError ? error.message : 'its concepts cannot be stored';
  }
}

/** A row of an export; undefined for one that no export has. */
function readConcept(row: JsonObject):
  | {
      readonly folded: string;
      readonly isAbstract: boolean;
      readonly isInactive: boolean;
      readonly parents: readonly string[];
      readonly element: JsonObject;
    }
  | undefined {
  const { folded, abstract = false, inactive = false, parents = [], element } = row;
  if (!isJsonObject(element) || element['concept'] !== undefined) return undefined;
  const { code } = element;
  if (typeof code !== 'string' || code === '' || (folded !== code && folded !== code.toLowerCase()))
    return undefined;
  if (typeof abstract !== 'boolean' || typeof inactive !== 'boolean' || !Array.isArray(parents))
    return undefined;
  const texts = parents.filter((each) => typeof each === 'string');
  if (texts.length !== parents.length) return undefined;
  return { folded, isAbstract: abstract, isInactive: inactive, parents: texts, element };
}
