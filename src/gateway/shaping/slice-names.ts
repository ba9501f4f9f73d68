/** The slice names that FHIRPath expressions return. */
import {
  elementTexts,
  FhirError,
  FilterAllowance,
  type JsonValue,
  parseStoredObject,
} from '../../core/index';
import { ResourceSource } from '../../schema/types/resource';
import { SOURCE_FIELD } from '../execution/compile';
import type { FieldGroup } from './field-groups';
import type { SlicePath } from './slice-path';

type Expression = SlicePath & { readonly kind: 'expression' };

/**
 * Evaluates the names of slices between two passes over a response. The first pass records the names that it needs.
 * `find` evaluates their expressions, and yields to the event loop between elements. The second pass uses them.
 */
export class SliceNames {
  readonly #found = new Map<FieldGroup, Map<unknown, string>>();
  readonly #failed = new Map<FieldGroup, FhirError>();
  readonly #needed: (() => void)[] = [];
  readonly #allowance = new FilterAllowance();

  /**
   * Returns the name of an element's slice; '' in the first pass. Returns an error when the expression of the field has
   * failed.
   */
  of(group: FieldGroup, slice: Expression, element: unknown): string | FhirError {
    const failure = this.#failed.get(group);
    if (failure !== undefined) return failure;
    let names = this.#found.get(group);
    if (names === undefined) this.#found.set(group, (names = new Map<unknown, string>()));
    const name = names.get(element);
    if (name !== undefined) return name;
    names.set(element, '');
    this.#needed.push(() => this.#evaluate(group, slice, element));
    return '';
  }

  /** Returns false when no name was needed, so that the pass was the last. */
  async find(): Promise<boolean> {
    for (const evaluate of this.#needed) {
      if (this.#allowance.needsPause) await this.#allowance.yield();
      evaluate();
    }
    return this.#needed.splice(0).length > 0;
  }

  #evaluate(group: FieldGroup, expression: Expression, element: unknown): void {
    if (this.#failed.has(group)) return;
    try {
      const texts = elementTexts(sourceOf(element), expression, this.#allowance);
      this.#found.get(group)?.set(element, texts.join(','));
    } catch (error) {
      if (!(error instanceof FhirError)) throw error;
      this.#failed.set(group, error);
    }
  }
}

/** Returns the JSON of an element: the source of its object, or the value itself. */
function sourceOf(element: unknown): JsonValue {
  const source: unknown = isObject(element) ? element[SOURCE_FIELD] : element;
  if (source instanceof ResourceSource) return parseStoredObject(source.text);
  return (source ?? null) as JsonValue;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
