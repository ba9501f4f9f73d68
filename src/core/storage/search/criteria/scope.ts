import type { RawBuilder } from 'kysely';
import type { LooksInside } from '../../../search/links';
import type { Criterion } from '../../../search/predicate';
import type { ValueReference } from '../predicate-parts';
import type { CompiledCriteria } from './compiled';

/** The type of the resources that criteria are asked of. */
export interface Scope {
  /** Its number as SQL. */
  readonly type: (value: ValueReference) => RawBuilder<unknown>;
  readonly sortDateParameter: number | undefined;
  readonly names: Names;
  /** What index.ts does: criteria are inside of criteria, and files must not import each other in circles. */
  readonly compile: (criteria: readonly Criterion[], scope: Scope) => CompiledCriteria;
  /** Undefined: the resources are no contained ones. */
  readonly contained?: ContainedScope;
  /** Without an end the statement would double with each link. */
  readonly looksInside: LooksInside;
}

/** Of contained resources, as SQL. */
export interface ContainedScope {
  /** Where the numbers of the rows of one of them begin. */
  readonly base: (value: ValueReference) => RawBuilder<unknown>;
  /** Which of those in its container it is. */
  readonly block: RawBuilder<unknown>;
}

/** Gives each predicate of a statement a short name, because PostgreSQL cuts long ones: two could become the same. */
export class Names {
  private count = 0;

  next(): string {
    return `c${this.count++}_`;
  }
}
