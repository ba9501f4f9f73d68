/**
 * The second pass of a full validation: bindings, invariants, narrative and rules of single types. It checks only
 * values that passed the structural check, and visits only members that have such rules.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json';
import { Container } from './container';
import type { ContentRule } from './content-rules';
import type { MemberName } from './member';
import type { PrimitiveCheck } from './primitive';
import type { ValidationRun } from './run';

/** A member whose content is checked. */
export interface ContentMember {
  readonly place: MemberName;
  check(value: JsonValue, owner: JsonObject, run: ValidationRun): void;
}

export interface ObjectContent {
  /** Rules of the object as a whole. */
  readonly rules: readonly ContentRule[];
  readonly members: ReadonlyMap<string, ContentMember>;
}

/** The content check of a type (`Patient`) or nested element (`Patient.contact`), compiled on first use. */
export class ObjectContentCheck {
  private content: ObjectContent | undefined;

  constructor(private readonly readContent: () => ObjectContent) {}

  /** Applies the rules of the object, then checks its members in document order. */
  check(value: JsonObject, run: ValidationRun): void {
    if (run.isOver) return;
    const { rules, members } = (this.content ??= this.readContent());
    if (rules.length > 0 && !run.isBroken(value)) for (const rule of rules) rule(value, undefined, run);
    for (const name in value) {
      const member = members.get(name);
      if (member === undefined) continue;
      const child = value[name];
      if (child !== undefined) member.check(child, value, run);
    }
  }
}

export class PrimitiveContent implements ContentMember {
  constructor(
    readonly place: MemberName,
    private readonly isList: boolean,
    private readonly rules: readonly ContentRule[],
    private readonly fault: PrimitiveCheck,
  ) {}

  check(value: JsonValue, owner: JsonObject, run: ValidationRun): void {
    if (this.isList !== Array.isArray(value)) return;
    const companion = owner[`_${this.place.key}`];
    run.push(this.place.step);
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length && !run.isOver; index++) {
        run.push(index);
        this.checkOne(
          value[index] ?? null,
          Array.isArray(companion) ? companion[index] : undefined,
          owner,
          run,
        );
        run.pop();
      }
    } else {
      this.checkOne(value, companion, owner, run);
    }
    run.pop();
  }

  private checkOne(
    value: JsonValue,
    companion: JsonValue | undefined,
    owner: JsonObject,
    run: ValidationRun,
  ): void {
    // If the owner has a fault, it may be this value. A malformed code is not reported again as outside its value set.
    if (run.isBroken(owner) && (typeof value === 'object' || this.fault(value) !== undefined)) return;
    for (const rule of this.rules) rule(value, isJsonObject(companion) ? companion : undefined, run);
  }
}

/** Visits each object of an element; the structural check has reported values of the wrong shape. */
abstract class ObjectsOfElement implements ContentMember {
  constructor(
    readonly place: MemberName,
    private readonly isList: boolean,
  ) {}

  check(value: JsonValue, _owner: JsonObject, run: ValidationRun): void {
    if (this.isList !== Array.isArray(value)) return;
    run.push(this.place.step);
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length && !run.isOver; index++) {
        run.push(index);
        this.checkOne(value[index] ?? null, run);
        run.pop();
      }
    } else {
      this.checkOne(value, run);
    }
    run.pop();
  }

  protected abstract checkOne(value: JsonValue, run: ValidationRun): void;
}

/** Objects of an element: of a complex type, nested, or the companions of primitives. */
export class ElementContent extends ObjectsOfElement {
  constructor(
    place: MemberName,
    isList: boolean,
    private readonly rules: readonly ContentRule[],
    private readonly object: ObjectContentCheck,
  ) {
    super(place, isList);
  }

  protected checkOne(value: JsonValue, run: ValidationRun): void {
    if (!isJsonObject(value)) return;
    if (this.rules.length > 0 && !run.isBroken(value))
      for (const rule of this.rules) rule(value, undefined, run);
    this.object.check(value, run);
  }
}

/** The member that holds the resources. */
interface ResourceDefinition {
  readonly place: MemberName;
  readonly isList: boolean;
  readonly isContained: boolean;
}

/** Contained resources, and those of Bundles and Parameters. */
export class ResourceContent extends ObjectsOfElement {
  constructor(
    private readonly definition: ResourceDefinition,
    private readonly rules: readonly ContentRule[],
    private readonly checkOf: (resource: JsonObject) => ObjectContentCheck | undefined,
  ) {
    super(definition.place, definition.isList);
  }

  protected checkOne(value: JsonValue, run: ValidationRun): void {
    const check = isJsonObject(value) ? this.checkOf(value) : undefined;
    if (check === undefined || !isJsonObject(value)) return;
    // Rules of the element apply from outside the resource, with the outer one as `%resource`.
    if (!run.isBroken(value)) for (const rule of this.rules) rule(value, undefined, run);
    const { resource, container } = run;
    run.resource = value;
    if (!this.definition.isContained) run.container = new Container(value, container);
    check.check(value, run);
    run.resource = resource;
    run.container = container;
  }
}
