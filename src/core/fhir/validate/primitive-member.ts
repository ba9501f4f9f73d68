/** Elements of primitive types. Source: https://hl7.org/fhir/R4/json.html#primitive */
import { isJsonObject, type JsonObject, type JsonValue } from '../json';
import { describeFound, withArticle } from './found';
import { listOf, reportAt, type Member, type MemberName } from './member';
import type { ObjectCheck } from './object-check';
import type { PrimitiveCheck } from './primitive';
import type { FragmentCheck } from './reference-target';
import type { ValidationRun } from './run';

const HASH = 0x23;

export interface PrimitiveOptions {
  /** `code` */
  readonly typeName: string;
  readonly fault: PrimitiveCheck;
  /** For types that can hold `#id`. */
  readonly fragments?: FragmentCheck;
}

export class PrimitiveMember implements Member {
  private readonly fault: PrimitiveCheck;
  private readonly fragments: FragmentCheck | undefined;

  constructor(
    readonly place: MemberName,
    private readonly options: PrimitiveOptions,
  ) {
    this.fault = options.fault;
    this.fragments = options.fragments;
  }

  check(value: JsonValue, _owner: JsonObject, run: ValidationRun): void {
    if (typeof value === 'object') {
      reportAt(this.place, run, { rule: 'wrongShape', sentence: this.shapeFault(value) });
      return;
    }
    const fault = this.fault(value);
    if (fault !== undefined) reportAt(this.place, run, { rule: 'malformedPrimitive', sentence: fault });
    else if (this.fragments !== undefined && typeof value === 'string' && value.charCodeAt(0) === HASH)
      this.fragments.check(value, this.place.step, undefined, run);
  }

  private shapeFault(value: JsonValue): string {
    const { key } = this.place;
    if (value === null) return `'${key}' is null; an element without a value is left out`;
    return Array.isArray(value)
      ? `'${key}' cannot repeat: it must be one value, but ${describeFound(value)} was found`
      : `'${key}' is ${withArticle(this.options.typeName)}, but ${describeFound(value)} was found`;
  }
}

export class PrimitiveListMember implements Member {
  private readonly fault: PrimitiveCheck;
  private readonly fragments: FragmentCheck | undefined;

  constructor(
    readonly place: MemberName,
    private readonly options: PrimitiveOptions,
    private readonly max: number,
  ) {
    this.fault = options.fault;
    this.fragments = options.fragments;
  }

  check(value: JsonValue, owner: JsonObject, run: ValidationRun): void {
    const values = listOf(value, this.place, run, this.max);
    if (values === undefined) return;
    for (let index = 0; index < values.length && !run.isOver; index++) {
      const element = values[index] ?? null;
      if (typeof element === 'object') {
        this.checkShape(element, index, owner, run);
        continue;
      }
      const fault = this.fault(element);
      if (fault !== undefined)
        reportAt(this.place, run, { rule: 'malformedPrimitive', sentence: fault, index });
      else if (this.fragments !== undefined && typeof element === 'string' && element.charCodeAt(0) === HASH)
        this.fragments.check(element, this.place.step, index, run);
    }
  }

  /**
   * Null is valid for a value that has only an id or extensions. CompanionListMember reports companions of the wrong
   * shape or length.
   */
  private checkShape(element: JsonValue, index: number, owner: JsonObject, run: ValidationRun): void {
    const { key } = this.place;
    if (element !== null) {
      const sentence = `'${key}' holds ${withArticle(this.options.typeName)} each, but ${describeFound(element)} was found`;
      reportAt(this.place, run, { rule: 'wrongShape', sentence, index });
      return;
    }
    const companions = owner[`_${key}`];
    if (companions !== undefined) {
      if (!Array.isArray(companions) || index >= companions.length || isJsonObject(companions[index])) return;
    }
    const sentence = `null is allowed in '${key}' only where '_${key}' has an id or extension at the same place`;
    reportAt(this.place, run, { rule: 'wrongShape', sentence, index });
  }
}

/** `_birthDate`: id and extensions of `birthDate`. */
export class CompanionMember implements Member {
  private readonly key: string;

  constructor(
    readonly place: MemberName,
    private readonly object: ObjectCheck,
  ) {
    this.key = place.key.slice(1);
  }

  check(value: JsonValue, owner: JsonObject, run: ValidationRun): void {
    if (!isJsonObject(value)) {
      const sentence = `'_${this.key}' must be an object with the id and extensions of '${this.key}', but ${describeFound(value)} was found`;
      reportAt(this.place, run, { rule: 'wrongShape', sentence });
      return;
    }
    run.push(this.place.step);
    this.object.check(value, run);
    if (owner[this.key] === undefined) checkHasContent(value, run);
    run.pop();
  }
}

/** `_given`: id and extensions of each `given`, null where it has none. */
export class CompanionListMember implements Member {
  private readonly key: string;

  constructor(
    readonly place: MemberName,
    private readonly object: ObjectCheck,
  ) {
    this.key = place.key.slice(1);
  }

  check(value: JsonValue, owner: JsonObject, run: ValidationRun): void {
    const companions = listOf(value, this.place, run);
    if (companions === undefined) return;
    const values = owner[this.key];
    const hasValues = Array.isArray(values);
    if (hasValues && values.length > 0 && values.length !== companions.length) {
      const sentence = `'${this.key}' has ${values.length} values, but '_${this.key}' has ${companions.length}; null must fill the shorter one, so that both have the same length`;
      reportAt(this.place, run, { rule: 'wrongShape', sentence });
    }
    for (let index = 0; index < companions.length && !run.isOver; index++) {
      const companion = companions[index] ?? null;
      if (companion === null) {
        if (values === undefined) {
          const sentence = `null is allowed in '_${this.key}' only where '${this.key}' has a value at the same place`;
          reportAt(this.place, run, { rule: 'wrongShape', sentence, index });
        }
      } else if (isJsonObject(companion)) {
        run.push(this.place.step);
        run.push(index);
        this.object.check(companion, run);
        if (!hasValues || (values[index] ?? null) === null) checkHasContent(companion, run);
        run.pop();
        run.pop();
      } else {
        const sentence = `'_${this.key}' must hold an object or null at each place, but ${describeFound(companion)} was found`;
        reportAt(this.place, run, { rule: 'wrongShape', sentence, index });
      }
    }
  }
}

/** ele-1 for a primitive without a value: an id alone is not content. */
function checkHasContent(companion: JsonObject, run: ValidationRun): void {
  if (companion['id'] === undefined) return;
  for (const name in companion) if (name !== 'id') return;
  run.report('invariant', 'ele-1: the element has an id but neither a value nor extensions');
}
