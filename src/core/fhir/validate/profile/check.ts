import { isJsonObject, type JsonObject, type JsonValue } from '../../json';
import type { ProfileRun } from './profile-run';
import type { Shape, ShapeMember } from './shape';

/**
 * Checks one value and reports its faults. `companion` is the object with `id` and `extension` of a primitive, whose
 * value may be absent; any other value is present and has no companion. Values of a shape that the type cannot have are
 * skipped, because the base structure has reported them.
 */
export type ValueCheck = (
  value: JsonValue | undefined,
  companion: JsonObject | undefined,
  at: ProfileRun,
) => void;

/** A value of a resource, with its type. */
export interface TypedValue {
  readonly value: JsonValue | undefined;
  readonly companion: JsonObject | undefined;
  /** The shape of what is below it; for a resource that of its own type. */
  readonly shape: Shape;
  /** For a resource: runs a check in it. */
  readonly enter?: (at: ProfileRun, check: () => void) => void;
}

/** The profile that a check belongs to, as sentences name it. */
export interface Origin {
  /** `the profile http://…` */
  readonly name: string;
}

/** A value of a member. */
export interface MemberValue {
  readonly member: ShapeMember;
  readonly value: JsonValue | undefined;
  readonly companion: JsonObject | undefined;
  /** The object that has the member. */
  readonly source: JsonObject;
}

/** Runs checks on a value; the current place is that of the value. */
export function runChecks(
  checks: readonly ValueCheck[],
  { member, value, companion, source }: MemberValue,
  at: ProfileRun,
): void {
  if (checks.length === 0) return;
  if (member.isPrimitive) {
    if (typeof value === 'object' && value !== null) return;
  } else if (!isJsonObject(value)) return;
  if (member.isResource && isJsonObject(value)) {
    at.inResource(value, member.key, source, () => {
      for (const check of checks) check(value, companion, at);
    });
    return;
  }
  for (const check of checks) check(value, companion, at);
}
