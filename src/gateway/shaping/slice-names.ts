/** The names of slices that FHIRPath expressions give. */
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
 * The first pass over an answer says which names it needs, `find` evaluates their expressions and yields to the event loop
 * between elements, and a second pass uses them.
 */
export class SliceNames {
  readonly #found = new Map<FieldGroup, Map<unknown, string>>();
  readonly #failed = new Map<FieldGroup, FhirError>();
  readonly #needed: (() => void)[] = [];
  readonly #allowance = new FilterAllowance();

  /** The name of an element's slice; '' in the first pass; an error where the expression of the field has failed. */
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

  /** False when no name was needed: then the pass is the last. */
  async find(): Promise<boolean> {
    for (const evaluate of this.#needed) {
      if (this.#allowance.needsPause) await this.#allowance.yield();
      evaluate();
    }
    return this.#needed.splice(0).length > 0;
  }

  #evaluate(group: FieldGroup, { release, place, expression }: Expression, element: unknown): void {
    if (this.#failed.has(group)) return;
    try {
      const texts = elementTexts(release, {
        place,
        expression,
        element: sourceOf(element),
        allowance: this.#allowance,
      });
      this.#found.get(group)?.set(element, texts.join(','));
    } catch (error) {
      if (!(error instanceof FhirError)) throw error;
      this.#failed.set(group, error);
    }
  }
}

/** The JSON of an element: what its object was made of, or the value itself. */
function sourceOf(element: unknown): JsonValue {
  const source: unknown = isObject(element) ? element[SOURCE_FIELD] : element;
  if (source instanceof ResourceSource) return parseStoredObject(source.text);
  return (source ?? null) as JsonValue;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
