/** Evaluates the paths of one patch on the resource in its current state. */
import { fhirError } from '../../errors';
import type { Definitions } from '../definitions';
import type { JsonObject } from '../json';
import { shorten } from '../json/fault';
import {
  compilePath,
  PathBudgetError,
  PathError,
  PathSyntaxError,
  UnsupportedPathError,
  type CompiledPath,
} from '../path';
import { PathNode } from '../path/value';
import type { PatchValue } from './patch-value';
import type { PathBudget } from './limits';

export class PathFinder {
  private readonly compiled = new Map<string, CompiledPath>();

  constructor(
    private readonly options: { readonly definitions: Definitions; readonly rootType: string },
    private readonly root: JsonObject,
    private readonly budget: PathBudget,
  ) {}

  /**
   * Compiles a path, each text once. Throws `fhirPathPatchInvalid` for invalid FHIRPath, `notSupported` for unsupported
   * FHIRPath, `patchNotApplicable` for elements that the type does not have, and `tooCostly`.
   */
  prepare(path: PatchValue<string>): CompiledPath {
    const { value: text, expression } = path;
    const cached = this.compiled.get(text);
    if (cached !== undefined) return cached;
    this.budget.characters -= text.length;
    if (this.budget.characters < 0) {
      const reason = 'The paths have too many characters together';
      throw fhirError('tooCostly', { reason }, expression);
    }
    try {
      const compiled = compilePath(text, {
        ...this.options,
        isStrict: true,
        isFromClient: true,
        allowance: this.budget.steps,
      });
      this.compiled.set(text, compiled);
      return compiled;
    } catch (error) {
      throw this.toRefusal(path, error);
    }
  }

  /**
   * Returns the nodes at a path, in the order of the resource. Throws as `prepare` does, and for an evaluation that
   * fails or takes too long.
   */
  find(path: PatchValue<string>): readonly PathNode[] {
    const compiled = this.prepare(path);
    try {
      return compiled(this.root, { allowance: this.budget.steps }).filter(
        (value) => value instanceof PathNode,
      );
    } catch (error) {
      throw this.toRefusal(path, error);
    }
  }

  private toRefusal({ value: text, expression }: PatchValue<string>, error: unknown): unknown {
    if (!(error instanceof PathError)) return error;
    const reason = `the path '${shorten(text)}': ${error.message}`;
    if (error instanceof PathBudgetError) return fhirError('tooCostly', { reason }, expression);
    if (error instanceof PathSyntaxError) return fhirError('fhirPathPatchInvalid', { reason }, expression);
    if (error instanceof UnsupportedPathError) return fhirError('notSupported', { reason }, expression);
    return fhirError('patchNotApplicable', { reason }, expression);
  }
}
