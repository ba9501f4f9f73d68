import type { RawBuilder } from 'kysely';
import type { ContainedMode } from '../../../search/matching/links';
import type { Criterion } from '../../../search/predicate';
import type { ValueReference } from '../predicate-parts';
import type { CompiledCriteria } from './compiled';

/** The type of the resources that criteria apply to. */
export interface Scope {
  /** Number of the type, as SQL. */
  readonly type: (value: ValueReference) => RawBuilder<unknown>;
  readonly sortDateParameter: number | undefined;
  readonly names: Names;
  /**
   * Compiles nested criteria. A function of index.ts that is passed on, because files must not import each other in
   * circles.
   */
  readonly compile: (criteria: readonly Criterion[], scope: Scope) => CompiledCriteria;
  /** Undefined: the resources are not contained ones. */
  readonly contained?: ContainedScope;
  /** Limits chains into contained resources; otherwise the statement would double with each link. */
  readonly containedMode: ContainedMode;
}

/** A contained resource, as SQL. */
export interface ContainedScope {
  /** First number of the rows of the contained resource. */
  readonly base: (value: ValueReference) => RawBuilder<unknown>;
  /** Its block in its container. */
  readonly block: RawBuilder<unknown>;
}

/**
 * Generates a short name for each predicate of a statement. PostgreSQL truncates long names, so that two could become
 * equal.
 */
export class Names {
  private count = 0;

  next(): string {
    return `c${this.count++}_`;
  }
}
