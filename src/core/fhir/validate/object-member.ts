/** Elements of complex types, of nested elements and of resources. Source: https://hl7.org/fhir/R4/json.html */
import { isJsonObject, type JsonObject, type JsonValue } from '../json';
import { describeFound, withArticle } from './found';
import { listOf, reportAt, type Member, type MemberName } from './member';
import type { ObjectCheck } from './object-check';
import type { ResourceCheck } from './resource-check';
import type { TargetCheck } from './reference-target';
import type { ValidationRun } from './run';

export interface ObjectOptions {
  /** `HumanName`, `BackboneElement` */
  readonly typeName: string;
  readonly object: ObjectCheck;
  /** For references: the allowed targets. */
  readonly targets?: TargetCheck;
}

export class ObjectMember implements Member {
  private readonly object: ObjectCheck;
  private readonly targets: TargetCheck | undefined;

  constructor(
    readonly place: MemberName,
    private readonly options: ObjectOptions,
  ) {
    this.object = options.object;
    this.targets = options.targets;
  }

  check(value: JsonValue, _owner: JsonObject, run: ValidationRun): void {
    if (!isJsonObject(value)) {
      reportAt(this.place, run, {
        rule: 'wrongShape',
        sentence: singleFault(this.place.key, this.options.typeName, value),
      });
      return;
    }
    run.push(this.place.step);
    this.object.check(value, run);
    if (this.targets !== undefined) this.targets.check(value, run);
    run.pop();
  }
}

export class ObjectListMember implements Member {
  private readonly object: ObjectCheck;
  private readonly targets: TargetCheck | undefined;

  constructor(
    readonly place: MemberName,
    private readonly options: ObjectOptions,
    private readonly max: number,
  ) {
    this.object = options.object;
    this.targets = options.targets;
  }

  check(value: JsonValue, _owner: JsonObject, run: ValidationRun): void {
    const values = listOf(value, this.place, run, this.max);
    if (values === undefined) return;
    run.push(this.place.step);
    for (let index = 0; index < values.length && !run.isOver; index++) {
      const element = values[index];
      run.push(index);
      if (isJsonObject(element)) {
        this.object.check(element, run);
        if (this.targets !== undefined) this.targets.check(element, run);
      } else {
        run.report('wrongShape', elementFault(this.place.key, this.options.typeName, element ?? null));
      }
      run.pop();
    }
    run.pop();
  }
}

/** An element that holds a resource of any type. */
export class ResourceMember implements Member {
  constructor(
    readonly place: MemberName,
    private readonly resources: ResourceCheck,
    /** Undefined for a single resource. */
    private readonly max: number | undefined,
    private readonly isContained: boolean,
  ) {}

  check(value: JsonValue, _owner: JsonObject, run: ValidationRun): void {
    if (this.max === undefined) {
      if (isJsonObject(value)) {
        run.push(this.place.step);
        this.resources.checkInner(value, this.isContained, run);
        run.pop();
      } else {
        reportAt(this.place, run, {
          rule: 'wrongShape',
          sentence: singleFault(this.place.key, 'resource', value),
        });
      }
      return;
    }
    const values = listOf(value, this.place, run, this.max);
    if (values === undefined) return;
    run.push(this.place.step);
    for (let index = 0; index < values.length && !run.isOver; index++) {
      const resource = values[index];
      run.push(index);
      if (isJsonObject(resource)) this.resources.checkInner(resource, this.isContained, run);
      else run.report('wrongShape', elementFault(this.place.key, 'resource', resource ?? null));
      run.pop();
    }
    run.pop();
  }
}

function singleFault(key: string, typeName: string, value: JsonValue): string {
  if (value === null) return `'${key}' is null; an element without a value is left out`;
  return Array.isArray(value)
    ? `'${key}' cannot repeat: it must be one object, but ${describeFound(value)} was found`
    : `'${key}' is ${withArticle(typeName)}: an object is needed, but ${describeFound(value)} was found`;
}

function elementFault(key: string, typeName: string, value: JsonValue): string {
  return `'${key}' holds ${withArticle(typeName)} each: an object is needed, but ${describeFound(value)} was found`;
}
