/** A member of a JSON object that the definitions allow there. */
import type { JsonObject, JsonValue } from '../json';
import type { FindingRule } from './finding';
import { describeFound } from './found';
import type { ValidationRun } from './run';

export interface Member {
  readonly place: MemberName;
  /**
   * Checks shape, cardinality and format of the value and everything below it. `owner` is the object that has the
   * member.
   */
  check(value: JsonValue, owner: JsonObject, run: ValidationRun): void;
}

export interface MemberName {
  /** Name in JSON: `given`, `_given`, `valueQuantity`. */
  readonly key: string;
  /** Step of FHIRPath: `given` for both `given` and `_given`, `value.ofType(Quantity)`. */
  readonly step: string;
  /** A distinct bit for each element of an object that is required or a choice of types; 0 for all others. */
  readonly bit: number;
  readonly choice?: MemberChoice;
}

export interface MemberChoice {
  /** `value` */
  readonly name: string;
  /** The type that the name of the member states. */
  readonly type: string;
}

/** Reports a finding about a member whose step has not been pushed. */
export function reportAt(
  { step }: MemberName,
  run: ValidationRun,
  {
    rule,
    sentence,
    index,
  }: { readonly rule: FindingRule; readonly sentence: string; readonly index?: number },
): void {
  run.push(step);
  if (index !== undefined) run.push(index);
  run.report(rule, sentence);
  if (index !== undefined) run.pop();
  run.pop();
}

/** Returns the values of a list. If the member is no list or is empty, reports that and returns undefined. */
export function listOf(
  value: JsonValue,
  place: MemberName,
  run: ValidationRun,
  max = Infinity,
): readonly JsonValue[] | undefined {
  if (!Array.isArray(value)) {
    const sentence = `'${place.key}' may repeat: it must be an array, but ${describeFound(value)} was found`;
    reportAt(place, run, { rule: 'wrongShape', sentence });
    return undefined;
  }
  if (value.length === 0) {
    reportAt(place, run, {
      rule: 'wrongShape',
      sentence: `'${place.key}' is an empty array; an element without a value is left out`,
    });
    return undefined;
  }
  if (value.length > max) {
    reportAt(place, run, {
      rule: 'cardinality',
      sentence: `'${place.key}' has ${value.length} values; at most ${max} are allowed`,
    });
  }
  return value;
}

/** An element that the type inherits but may not have. */
export class ForbiddenMember implements Member {
  constructor(readonly place: MemberName) {}

  check(_value: JsonValue, _owner: JsonObject, run: ValidationRun): void {
    reportAt(this.place, run, { rule: 'cardinality', sentence: `'${this.place.key}' is not allowed here` });
  }
}

/** `resourceType`, which was checked when the type was determined. */
export class TypeNameMember implements Member {
  readonly place: MemberName = { key: 'resourceType', step: 'resourceType', bit: 0 };

  check(): void {
    // Its value chose the type whose member this is.
  }
}
