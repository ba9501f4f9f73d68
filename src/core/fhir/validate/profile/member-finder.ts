import { isJsonObject, type JsonObject, type JsonValue } from '../../json';
import type { TypedValue } from './check';
import type { Meter } from './value';
import type { Shape, ShapeElement, ShapeMember, Shapes } from './shape';

export type FixedValueTest = (
  value: JsonValue | undefined,
  companion: JsonObject | undefined,
  meter: Meter,
) => boolean;

/** One element below another. It caches the last shape, because the next one is nearly always the same. */
class Step {
  private lastShape: Shape | undefined;
  private lastElement: ShapeElement | undefined;

  constructor(private readonly name: string) {}

  below(shape: Shape): readonly ShapeMember[] {
    if (shape !== this.lastShape) {
      this.lastShape = shape;
      this.lastElement = shape.element(this.name);
    }
    return this.lastElement?.members ?? NONE;
  }
}

const NONE: readonly ShapeMember[] = [];

interface Search {
  readonly test: FixedValueTest;
  readonly meter: Meter;
}

/** Finds values by plain names, such as `code.coding.system`, without building lists of them. */
export class MemberFinder {
  private readonly steps: readonly Step[];

  constructor(
    names: readonly string[],
    private readonly shapes: Shapes,
  ) {
    this.steps = names.map((name) => new Step(name));
  }

  /** True if one of the values that the names lead to passes the test; false when the meter has run out. */
  finds({ value, companion, shape }: TypedValue, test: FixedValueTest, meter: Meter): boolean {
    return this.descend({ value, companion, shape }, 0, { test, meter });
  }

  private descend({ value, companion, shape }: TypedValue, depth: number, search: Search): boolean {
    const { test, meter } = search;
    if (--meter.left < 0) return false;
    const step = this.steps[depth];
    if (!step) return test(value, companion, meter);
    const source = isJsonObject(value) ? value : companion;
    if (!source) return false;
    const members = step.below(shape);
    for (let index = 0; index < members.length; index++) {
      const member = members[index];
      if (member && this.inMember(source, member, depth + 1, search)) return true;
    }
    return false;
  }

  private inMember(source: JsonObject, member: ShapeMember, depth: number, search: Search): boolean {
    const value = source[member.key];
    const companion = member.isPrimitive ? source[member.companionKey] : undefined;
    if (value === undefined && companion === undefined) return false;
    if (!Array.isArray(value) && !Array.isArray(companion)) {
      return this.descend(this.typed(value, companion, member), depth, search);
    }
    const values = Array.isArray(value) ? value : NO_VALUES;
    const companions = Array.isArray(companion) ? companion : NO_VALUES;
    const length = Math.max(values.length, companions.length);
    for (let index = 0; index < length; index++) {
      const child = this.typed(values[index] ?? undefined, companions[index], member);
      if (this.descend(child, depth, search)) return true;
    }
    return false;
  }

  private typed(
    value: JsonValue | undefined,
    companion: JsonValue | undefined,
    member: ShapeMember,
  ): TypedValue {
    const shape = this.shapes.ofValue(value, member);
    return { value, companion: isJsonObject(companion) ? companion : undefined, shape };
  }
}

const NO_VALUES: readonly JsonValue[] = [];
