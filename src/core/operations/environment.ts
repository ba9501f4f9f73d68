/**
 * What an operation is given to work with. Core implements it over storage and cache, tests over the definition
 * files; an operation knows neither.
 */
import type { CompartmentAddress, StoredVersion } from '../api/version';
import type { DocumentContent } from '../api/operation';
import type { Forgotten } from '../api/tenant';
import type { SearchPage, SearchRequest } from '../api/search';
import { type RequestContext } from '../context';
import { type Definitions } from '../fhir/definitions';
import { type JsonDocument, type JsonObject } from '../fhir/json';
import { type LabelChange } from '../fhir/meta-labels';
import { type Finding, type Validator } from '../fhir/validate';
import { type ValidationReport, type ValidationTask } from '../preparation/validation-report';
import { type CodeSystemCache } from '../terminology/code-system-cache';

/** Types of which resources are looked for by their canonical url. */
export type CanonicalType = 'ValueSet' | 'CodeSystem' | 'StructureDefinition' | 'ConceptMap';

/** A stored conformance resource. */
export interface CanonicalResource {
  /** Names this version in the whole database, such as `space/type/id/version`: it never stands for other content. */
  readonly key: string;
  readonly text: string;
}

/** The distinct labels of the current versions in a scope, in no order. */
export interface MetaSummary {
  readonly profile: readonly string[];
  /** Codings, distinct by system and code. */
  readonly tag: readonly JsonObject[];
  readonly security: readonly JsonObject[];
}

/** All that belongs to one resource, or to all of its type; see interactions/compartment/everything.ts. */
export interface RecordRequest {
  /** The resource whose record it is; without an id that of all resources of the type. */
  readonly owner: { readonly type: CompartmentAddress['type']; readonly id?: string };
  /** Only what has its clinical date in this time, half open, or has none; milliseconds since 1970. */
  readonly from?: number;
  readonly to?: number;
  /** Only what was updated at this instant or later, milliseconds since 1970. */
  readonly since?: number;
  /** Only resources of these types; undefined: of all. */
  readonly types?: readonly string[];
  /** Resources of the record on one page, from 1 to MAX_COUNT. */
  readonly count: number;
  readonly cursor?: string;
  /** As the client gave them: the cursor is bound to all of them but `_count`. */
  readonly parameters: SearchPage['used'];
}

/** What is to be removed for ever. */
export interface PurgeRequest {
  readonly type: string;
  readonly id: string;
  /** All that is in the compartment too. */
  readonly isCompartment: boolean;
}

/** Rows of a table of the space. */
export interface PurgedTable {
  readonly table: string;
  readonly removed: number;
  /** Of what was purged, counted at the end. */
  readonly left: number;
  /** Of others, in which its type and id stand. */
  readonly mentions: number;
}

export interface PurgeReport extends Forgotten {
  /** False: something is left, or others made more of it while it was purged. */
  readonly isComplete: boolean;
  /** How many resources, by type. */
  readonly types: readonly (readonly [type: string, resources: number])[];
  readonly tables: readonly PurgedTable[];
  /**
   * Resources that mention it and were kept, the first of them. shared: also in the compartment of another patient; elsewhere: not
   * in the compartment, though resources of the type may be; mentions: of a type that is in no compartment of patients.
   */
  readonly kept: readonly {
    readonly type: string;
    readonly id: string;
    readonly reason: 'shared' | 'elsewhere' | 'mentions';
  }[];
  readonly keptCount: number;
}

/** The texts of costly answers. May lose anything at any time, and may never answer with what was not put. */
export interface AnswerCache {
  get(key: string): Promise<string | undefined>;
  /** Returns at once; a failure is the cache's own business. */
  put(key: string, text: string): void;
}

/** What stands at an address: a resource of the tenant's own, one of the base space, or none. */
export type Location = 'own' | 'base' | 'none';

export interface OperationLimits {
  /** Levels of objects and arrays that an input may have. */
  readonly maxDepth: number;
  /** Most codes in one expansion. */
  readonly maxExpansionCodes: number;
}

/**
 * What storage and cache know of a space. Arguments and results are plain values, so that an operation may run in a
 * thread that asks another one for them.
 */
export interface OperationStorage {
  /**
   * The resource with this `url`, of the tenant's own space before the base space; without a version the newest, else
   * the one with this `version`. Undefined when there is none.
   */
  findCanonical(type: CanonicalType, url: string, version?: string): Promise<CanonicalResource | undefined>;
  /**
   * A number (or any text) that changes with every change of a ValueSet or CodeSystem that this space can see, at the
   * latest when that change is visible to `findCanonical`.
   */
  terminologyVersion(): Promise<string>;
  /** Throws `notFound` and `gone`. */
  read(type: string, id: string): Promise<StoredVersion>;
  /** Costs one gathered read, two where conformance resources are concerned. */
  locate(type: string, id: string): Promise<Location>;
  /** Labels of one type, or of all; bounded in what it looks at (throws `tooCostly`). */
  summarizeMeta(type?: string): Promise<MetaSummary>;
  /** The version with the labels changed. Throws `notFound`, `gone`, `baseResourceReadOnly`, and as a patch does. */
  changeLabels(type: string, id: string, change: LabelChange): Promise<StoredVersion>;
  /** A Composition and what it refers to. Throws `notFound`, `gone`, `ruleViolated`, `tooCostly`. */
  makeDocument(id: string): Promise<Pick<DocumentContent, 'versions'>>;
  /** Throws as a search does. */
  search(request: SearchRequest): Promise<SearchPage>;
  /** Texts of the concept maps from codes of a system, or to them. Throws `tooCostly`. */
  findConceptMaps(system: string, isTarget: boolean): Promise<readonly string[]>;
  /** One page of a record. Throws `notFound`, `gone`, `invalidCursor`, `searchTimeout`. */
  readRecord(request: RecordRequest): Promise<SearchPage>;
  /** Of all search parameters of the space, or of those of one SearchParameter. */
  searchParameterProgress(id?: string): Promise<readonly SearchParameterProgress[]>;
  /**
   * Has their index made again in the background. Throws `notFound`, `gone`, `baseResourceReadOnly` and what
   * the check of a SearchParameter says: one that was stored before there was such a check is made known now.
   */
  restartSearchParameters(id?: string): Promise<void>;
  /** Removes for ever. Throws `forbidden`, `notSupported`, `tooCostly`, `purgeUnfinished`. */
  purge(request: PurgeRequest): Promise<PurgeReport>;
  /** Of this space alone: the implementation puts space and database into its keys. */
  readonly cache: AnswerCache;
}

/** How far the indexing of one pair of a resource type and a search parameter of the space is. */
export interface SearchParameterProgress {
  /** Id of the SearchParameter. */
  readonly owner: string;
  readonly url: string;
  readonly type: string;
  readonly code: string;
  readonly status: 'in-progress' | 'completed' | 'failed';
  readonly isSearchable: boolean;
  /** Resources of the type when indexing began, and those indexed so far; undefined: the caller may not see all of them. */
  readonly resources: number | undefined;
  readonly indexed: number | undefined;
  readonly failure: string | undefined;
}

/** The value sets and code systems that a space can see. */
export interface TerminologyEnvironment extends Pick<
  OperationStorage,
  'findCanonical' | 'terminologyVersion'
> {
  /** Of the thread. */
  readonly codeSystems: CodeSystemCache;
}

export interface OperationEnvironment extends OperationStorage, TerminologyEnvironment {
  readonly context: RequestContext;
  readonly definitions: Definitions;
  /** The structure of what is answered is validated with it. */
  readonly validator: Validator;
  /** What is wrong with an input, as fully as the tenant wants to have what it writes validated. */
  findInInput(input: JsonDocument): Promise<readonly Finding[]>;
  /** What $validate says about a resource; see `Preparer.judge`. */
  judge(task: ValidationTask): Promise<ValidationReport>;
  readonly limits: OperationLimits;
}
