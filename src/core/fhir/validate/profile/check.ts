import { isJsonObject, type JsonObject, type JsonValue } from '../../json';
import type { ProfileRun } from './profile-run';
import type { Shape, ShapeMember } from './shape';

/**
 * Looks at one value and reports what it finds. `companion` is the object with `id` and `extension` of a primitive,
 * whose value may be absent; anything else has a value and no companion. Values of a shape that the type cannot have
 * are passed over: the base structure has reported them.
 */
export type ValueCheck = (
  value: JsonValue | undefined,
  companion: JsonObject | undefined,
  at: ProfileRun,
) => void;

/** A value that was found, with its type. */
export interface TypedValue {
  readonly value: JsonValue | undefined;
  readonly companion: JsonObject | undefined;
  /** What stands below it; of a resource that of its own type. */
  readonly shape: Shape;
  /** Of a resource: runs a check in it. */
  readonly enter?: (at: ProfileRun, check: () => void) => void;
}

/** The profile that a check belongs to, as sentences name it. */
export interface Origin {
  /** `the profile http://…` */
  readonly name: string;
}

/** Runs checks on a value that stands in a member of `source`; the present place is that of the value. */
export function runChecks(
  checks: readonly ValueCheck[],
  {
    member,
    value,
    companion,
    source,
    at,
  }: {
    readonly member: ShapeMember;
    readonly value: JsonValue | undefined;
    readonly companion: JsonObject | undefined;
    readonly source: JsonObject;
    readonly at: ProfileRun;
  },
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
