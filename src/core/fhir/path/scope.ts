/** The input of one evaluation of an expression, besides the root. */
import type { JsonObject, JsonValue } from '../json';
import { Stopwatch, type Meter, type PathAllowance } from './allowance';
import { PathBudgetError } from './error';
import type { CachedValues, PathCache } from './memory';
import { EMPTY, type PathNode, type PathNodes, type PathValue } from './value';

export interface PathEnvironment {
  /** `%resource`; the root if omitted. */
  readonly resource?: JsonValue | PathValue;
  /** `%rootResource`, the container of a contained resource; `%resource` if omitted. */
  readonly rootResource?: JsonValue | PathValue;
  /** `%context`; the root if omitted. */
  readonly context?: JsonValue | PathValue;
  /** Milliseconds since 1970, of now(). */
  readonly now?: number;
  /** Cache that evaluations on the same resource share; each evaluation has its own if omitted. */
  readonly cache?: PathCache;
  /** The budget that evaluations share; each has its own if omitted. Only for client expressions. */
  readonly allowance?: PathAllowance;
  /** Returns the resource of the same Bundle that a reference means; omitted: resolve() knows only its type and id. */
  findBundled?(reference: string): JsonObject | undefined;
  /** True if one of the codings is in the value set; undefined if that is not known. Needed for memberOf(). */
  isMember?(valueSet: string, codings: readonly PathCoding[]): boolean | undefined;
}

/** A code that memberOf() looks up. */
export interface PathCoding {
  readonly system?: string;
  readonly code: string;
}

export type ToNodes = (value: JsonValue | PathValue) => PathNodes;

/**
 * Maximum steps of an invariant of the definitions. A resource of 16 MB has at most 4 million values; only nested loops
 * take more steps.
 */
const MAX_STEPS = 10_000_000;

/** The settings that all evaluations of an expression share. */
export interface EvaluationMode {
  readonly isStrict: boolean;
  readonly toNodes: ToNodes;
}

/** `self`, `index` and `total` are those of the innermost iteration. */
export class Scope implements Meter {
  self: PathNodes;
  index = 0;
  total = EMPTY;
  private startedAt: number | undefined;
  /** Steps until the next portion is needed. */
  private left: number;
  private stopwatch: Stopwatch | undefined;
  private resourceNodes: PathNodes | undefined;
  private containedResources: Map<JsonObject, ReadonlyMap<string, PathNode>> | undefined;
  private evaluationCache: CachedValues | undefined;
  private resourceCache: CachedValues | undefined;

  constructor(
    private readonly mode: EvaluationMode,
    private readonly root: PathNodes,
    private readonly environment: PathEnvironment,
    /** The budget of a client expression. */
    private readonly allowance: PathAllowance | undefined,
  ) {
    this.self = root;
    this.left = allowance?.begin() ?? (mode.isStrict ? MAX_STEPS : Infinity);
  }

  get isStrict(): boolean {
    return this.mode.isStrict;
  }

  get context(): PathNodes {
    const { context } = this.environment;
    return context === undefined ? this.root : this.mode.toNodes(context);
  }

  get resource(): PathNodes {
    const { resource } = this.environment;
    return (this.resourceNodes ??= resource === undefined ? this.root : this.mode.toNodes(resource));
  }

  get rootResource(): PathNodes {
    const { rootResource } = this.environment;
    return rootResource === undefined ? this.resource : this.mode.toNodes(rootResource);
  }

  /** See `PathEnvironment.findBundled`. */
  findBundled(reference: string): JsonObject | undefined {
    return this.environment.findBundled?.(reference);
  }

  /** See `PathEnvironment.isMember`. */
  isMember(valueSet: string, codings: readonly PathCoding[]): boolean | undefined {
    return this.environment.isMember?.(valueSet, codings);
  }

  /** Milliseconds since 1970, the same throughout an evaluation. */
  get now(): number {
    return this.environment.now ?? (this.startedAt ??= Date.now());
  }

  /** Counts values, comparisons or nodes before they are processed. Throws PathBudgetError. */
  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) this.refill();
  }

  private refill(): void {
    const { allowance } = this;
    if (!allowance) throw new PathBudgetError(`The expression goes through more than ${MAX_STEPS} values`);
    // The first portion is not measured.
    if (this.stopwatch) allowance.pass(this.stopwatch.lap());
    else this.stopwatch = new Stopwatch();
    this.left += allowance.take(-this.left);
  }

  /** Counts a text before it is produced. Throws PathBudgetError. */
  makeText(length: number): void {
    this.allowance?.checkText(length);
    this.spend(length >> 4);
  }

  /** Counts a collection before it is produced. Throws PathBudgetError. */
  makeValues(count: number): void {
    this.allowance?.checkValues(count);
    this.spend(count);
  }

  /** Converts a RangeError (stack, text or number too large) to PathBudgetError; returns any other error unchanged. */
  toPathError(error: unknown): unknown {
    if (!(error instanceof RangeError)) return error;
    if (this.allowance) this.allowance.left = -1;
    return new PathBudgetError(`The expression exceeds a limit: ${error.message}`);
  }

  /** Ends the evaluation: returns its unused steps and counts its time. */
  finish(): void {
    if (this.stopwatch) this.allowance?.pass(this.stopwatch.lap());
    this.allowance?.putBack(this.left);
  }

  /** Contained resources by their ids, by the resources that contain them. */
  get contained(): Map<JsonObject, ReadonlyMap<string, PathNode>> {
    return (this.containedResources ??= new Map<JsonObject, ReadonlyMap<string, PathNode>>());
  }

  /** Cached values that depend only on the evaluation. */
  get cachedValues(): CachedValues {
    return (this.evaluationCache ??= new Map<object, PathNodes>());
  }

  /** Cached values that depend only on the resource. */
  get cachedResourceValues(): CachedValues {
    const { cache } = this.environment;
    const resource = cache && this.resource[0];
    if (resource) return cache.of(resource.value);
    return (this.resourceCache ??= new Map<object, PathNodes>());
  }
}
