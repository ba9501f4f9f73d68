import type { JsonObject } from '../json';
import type { ElementChoice } from './element-choice';
import type { Member } from './member';
import type { NativeRule } from './native-rules';
import type { ValidationRun } from './run';
import { describeUnknown } from './unknown-member';

/** The members that an object may have. */
export interface ObjectShape {
  /** By JSON name. */
  readonly members: ReadonlyMap<string, Member>;
  /** Required elements, in the order of the definitions. */
  readonly required: readonly RequiredElement[];
  /** Choices of types: `value` of `value[x]`, with the names of the types. */
  readonly choices: readonly ElementChoice[];
}

export interface RequiredElement {
  readonly bit: number;
  readonly name: string;
  /** `a code`, `an Identifier, or a Reference` */
  readonly wanted: string;
}

/** An element must not be empty; a companion is part of an element; a resource may have only its type. */
export type ObjectKind = 'element' | 'companion' | 'resource';

/**
 * The structural check of a type (`Patient`), or of an element with elements of its own (`Patient.contact`). Its
 * members are compiled on first use, so that unused types cost nothing.
 *
 * Findings come in document order: each member with everything below it, then what the object lacks, then rules of the
 * whole object. These rules run only if nothing in or below the object has the wrong shape.
 */
export class ObjectCheck {
  private shape: ObjectShape | undefined;
  private requiredBits = 0;

  constructor(
    /** The name in sentences: `Patient`, `Patient.contact`, `date`. */
    readonly name: string,
    private readonly kind: ObjectKind,
    private readonly readShape: () => ObjectShape,
    private readonly rules: readonly NativeRule[],
  ) {}

  check(value: JsonObject, run: ValidationRun): void {
    if (run.isOver) return;
    const { members, required } = this.shape ?? this.makeShape();
    const faultsBefore = run.faults;
    let presentBits = 0;
    let count = 0;
    for (const name in value) {
      const child = value[name];
      if (child === undefined) continue;
      count++;
      const member = members.get(name);
      if (member === undefined) {
        this.reportUnknown(name, members, run);
        continue;
      }
      const { bit } = member.place;
      if (bit !== 0) {
        if ((presentBits & bit) !== 0 && member.place.choice !== undefined)
          reportSecondType(name, value, members, run);
        presentBits |= bit;
      }
      member.check(child, value, run);
    }
    if (count <= 1 && this.kind !== 'resource') this.checkContent(value, count, run);
    if ((presentBits & this.requiredBits) !== this.requiredBits && (count > 0 || this.kind === 'resource')) {
      for (const { bit, name, wanted } of required) {
        if ((presentBits & bit) === 0)
          run.report('requiredMissing', `'${name}' is missing; ${wanted} is required`, [name]);
      }
    }
    if (run.faults !== faultsBefore) run.markBroken(value);
    else for (const rule of this.rules) rule(value, run);
  }

  private reportUnknown(name: string, members: ReadonlyMap<string, Member>, run: ValidationRun): void {
    if (run.isOver) return;
    run.report('unknownElement', describeUnknown(name, this.name, members, this.choices), [name]);
  }

  get choices(): readonly ElementChoice[] {
    return (this.shape ?? this.makeShape()).choices;
  }

  private makeShape(): ObjectShape {
    const shape = this.readShape();
    this.shape = shape;
    for (const { bit } of shape.required) this.requiredBits |= bit;
    return shape;
  }

  /** "Objects are never empty"; an element needs more than an id (ele-1). */
  private checkContent(value: JsonObject, count: number, run: ValidationRun): void {
    if (count === 0) {
      run.report('wrongShape', 'An object is empty; an element without content is left out');
    } else if (this.kind === 'element' && value['id'] !== undefined) {
      run.report('invariant', 'ele-1: the element has an id but no content');
    }
  }
}

/** Reports `valueString` beside `valueInteger`, but not beside `_valueString`, which is part of the same value. */
function reportSecondType(
  name: string,
  value: JsonObject,
  members: ReadonlyMap<string, Member>,
  run: ValidationRun,
): void {
  const choice = members.get(name)?.place.choice;
  let other: string | undefined;
  for (const earlier in value) {
    if (earlier === name) break;
    const presentBits = members.get(earlier)?.place.choice;
    if (choice === undefined || presentBits?.name !== choice.name) continue;
    if (presentBits.type === choice.type) return;
    other ??= earlier;
  }
  if (choice === undefined || other === undefined) return;
  run.report(
    'cardinality',
    `'${choice.name}' has one type only, but both '${other}' and '${name}' were found`,
    [choice.name],
  );
}
