/**
 * The second walk of a full validation: bindings, invariants, narrative and rules of single types, asked only about
 * what the structural check has found right. It visits no member about whose content nothing can be asked.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json';
import { Container } from './container';
import type { ContentRule } from './content-rules';
import type { MemberPlace } from './member';
import type { PrimitiveCheck } from './primitive';
import type { ValidationRun } from './run';

/** A member whose content is looked at. */
export interface ContentMember {
  readonly place: MemberPlace;
  check(value: JsonValue, owner: JsonObject, run: ValidationRun): void;
}

export interface ObjectContent {
  /** Of the object as a whole. */
  readonly rules: readonly ContentRule[];
  readonly members: ReadonlyMap<string, ContentMember>;
}

/** The content of a type (`Patient`) or nested element (`Patient.contact`); compiled on first use. */
export class ObjectContentCheck {
  private content: ObjectContent | undefined;

  constructor(private readonly readContent: () => ObjectContent) {}

  /** First what is asked of the object, then its members in the order of the document. */
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
    readonly place: MemberPlace,
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
    // An owner with a fault may have it here: a malformed code is not told again as one that no value set has.
    if (run.isBroken(owner) && (typeof value === 'object' || this.fault(value) !== undefined)) return;
    for (const rule of this.rules) rule(value, isJsonObject(companion) ? companion : undefined, run);
  }
}

/** Visits each object of an element; what is not in the right shape was reported with the structure. */
abstract class ObjectsOfElement implements ContentMember {
  constructor(
    readonly place: MemberPlace,
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
    place: MemberPlace,
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

/** Contained resources, and those of Bundles and Parameters. */
export class ResourceContent extends ObjectsOfElement {
  constructor(
    place: MemberPlace,
    isList: boolean,
    private readonly isContained: boolean,
    private readonly rules: readonly ContentRule[],
    private readonly checkOf: (resource: JsonObject) => ObjectContentCheck | undefined,
  ) {
    super(place, isList);
  }

  protected checkOne(value: JsonValue, run: ValidationRun): void {
    const check = isJsonObject(value) ? this.checkOf(value) : undefined;
    if (check === undefined || !isJsonObject(value)) return;
    // What the definition of the element asks of the resource is seen from outside of it.
    if (!run.isBroken(value)) for (const rule of this.rules) rule(value, undefined, run);
    const { resource, container } = run;
    run.resource = value;
    if (!this.isContained) run.container = new Container(value, container);
    check.check(value, run);
    run.resource = resource;
    run.container = container;
  }
}
