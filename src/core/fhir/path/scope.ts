/** One evaluation of an expression. */
import type { JsonValue } from '../json';
import { PathEvaluationError } from './error';
import type { Findings, PathMemory } from './memory';
import { EMPTY, type PathNodes, type PathValue } from './value';

export interface PathEnvironment {
  /** `%resource`; the root when left out. */
  readonly resource?: JsonValue | PathValue;
  /** `%rootResource`, the container of a contained resource; `%resource` when left out. */
  readonly rootResource?: JsonValue | PathValue;
  /** `%context`; the root when left out. */
  readonly context?: JsonValue | PathValue;
  /** Milliseconds since 1970, of now(). */
  readonly now?: number;
  /** What evaluations on the same resource share; each evaluation has its own when left out. */
  readonly memory?: PathMemory;
  /** What evaluations may go through together, beside the limit that each has in strict mode. */
  readonly allowance?: PathAllowance;
}

/** Values that several evaluations may go through, in loops and trees; negative when there were too many. */
export interface PathAllowance {
  left: number;
}

export type ToNodes = (value: JsonValue | PathValue) => PathNodes;

/**
 * Values that one evaluation may go through, in loops and trees. A resource of 16 MB has at most 4 million; more is
 * met by expressions whose loops stand in one another.
 */
const MAX_STEPS = 10_000_000;

/** `self`, `index` and `total` are those of the innermost iteration. */
export class Scope {
  index = 0;
  total = EMPTY;
  private startedAt: number | undefined;
  private steps = 0;
  private readonly allowance: PathAllowance | undefined;
  private resourceNodes: PathNodes | undefined;
  private ofEvaluation: Findings | undefined;
  private ofResource: Findings | undefined;

  constructor(
    readonly isStrict: boolean,
    private readonly root: PathNodes,
    private readonly environment: PathEnvironment,
    private readonly toNodes: ToNodes,
    public self = root,
  ) {
    this.allowance = environment.allowance;
  }

  get context(): PathNodes {
    const { context } = this.environment;
    return context === undefined ? this.root : this.toNodes(context);
  }

  get resource(): PathNodes {
    const { resource } = this.environment;
    return (this.resourceNodes ??= resource === undefined ? this.root : this.toNodes(resource));
  }

  get rootResource(): PathNodes {
    const { rootResource } = this.environment;
    return rootResource === undefined ? this.resource : this.toNodes(rootResource);
  }

  /** Milliseconds since 1970, the same throughout an evaluation. */
  get now(): number {
    return this.environment.now ?? (this.startedAt ??= Date.now());
  }

  /** Counts values that are gone through. Throws PathEvaluationError when there are too many: in strict mode, and with an allowance. */
  spend(count: number): void {
    this.steps += count;
    if (this.allowance) this.allowance.left -= count;
    if ((this.isStrict && this.steps > MAX_STEPS) || (this.allowance && this.allowance.left < 0))
      throw new PathEvaluationError(`The expression goes through more than ${MAX_STEPS} values`);
  }

  /** What was found that only depends on the evaluation. */
  get findings(): Findings {
    return (this.ofEvaluation ??= new Map<object, PathNodes>());
  }

  /** What was found that only depends on the resource. */
  get findingsOfResource(): Findings {
    const { memory } = this.environment;
    const resource = memory && this.resource[0];
    if (resource) return memory.of(resource.value);
    return (this.ofResource ??= new Map<object, PathNodes>());
  }
}
