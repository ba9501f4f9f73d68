import { didYouMean } from '../../../../packages/fhir-values/closest-name';
import type { Definitions } from '../definitions';
import type { JsonObject } from '../json';
import { shorten } from '../json/fault';
import { Container } from './container';
import { describeFound } from './found';
import type { ObjectCheck } from './object-check';
import type { ValidationRun } from './run';

/** Checks resources: the one that is validated, those in Bundles and Parameters, and contained ones. */
export class ResourceCheck {
  constructor(
    private readonly definitions: Definitions,
    private readonly checkOf: (typeName: string) => ObjectCheck,
  ) {}

  /** Input: the resource for which the run was made. */
  checkOuter(resource: JsonObject, run: ValidationRun): void {
    const check = this.typeOf(resource, run);
    if (check !== undefined) this.checkContainer(check, resource, run);
  }

  /** Input: a resource below the one that is being checked; its step has been pushed. */
  checkInner(resource: JsonObject, isContained: boolean, run: ValidationRun): void {
    const check = this.typeOf(resource, run);
    if (check === undefined) return;
    const { resource: outer, container } = run;
    run.resource = resource;
    if (isContained) {
      const before = container.enter(resource);
      check.check(resource, run);
      // A resource contained in a contained one breaks dom-2; its id is not looked up.
      if (before === undefined) checkContained(resource, run);
      container.leave(before);
    } else {
      run.container = new Container(resource, container);
      this.checkContainer(check, resource, run);
      run.container = container;
    }
    run.resource = outer;
  }

  private checkContainer(check: ObjectCheck, resource: JsonObject, run: ValidationRun): void {
    check.check(resource, run);
    const contained = resource['contained'];
    if (contained === undefined || !Array.isArray(contained) || run.isBroken(resource)) return;
    checkAllReferredTo(contained, run);
  }

  private typeOf(resource: JsonObject, run: ValidationRun): ObjectCheck | undefined {
    const type = resource['resourceType'];
    if (typeof type === 'string' && this.definitions.isResourceType(type)) return this.checkOf(type);
    if (type === undefined) {
      run.report('requiredMissing', "'resourceType' is missing; the type of the resource is required", [
        'resourceType',
      ]);
    } else if (typeof type === 'string') {
      const { fhirVersion, resourceTypes } = this.definitions;
      const hint = didYouMean(type, resourceTypes);
      const sentence = `'${shorten(type)}' is not a resource type of FHIR ${fhirVersion}${hint}`;
      run.report('wrongShape', sentence, ['resourceType']);
    } else {
      const sentence = `'resourceType' must be the name of a resource type, but ${describeFound(type)} was found`;
      run.report('wrongShape', sentence, ['resourceType']);
    }
    return undefined;
  }
}

/** Checks the rules of a contained resource. Source: https://hl7.org/fhir/R4/references.html#contained */
function checkContained(resource: JsonObject, run: ValidationRun): void {
  const id = resource['id'];
  if (id === undefined) {
    run.report('requiredMissing', "'id' is missing; a contained resource is found by its id", ['id']);
  } else if (typeof id === 'string' && run.container.find(id) !== resource) {
    run.report('business', `Another contained resource has the id '${shorten(id)}' too; each needs its own`, [
      'id',
    ]);
  }
  if (resource['contained'] !== undefined) {
    run.report('invariant', 'dom-2: a contained resource cannot contain others', ['contained']);
  }
  const meta = resource['meta'];
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta)) return;
  for (const name of ['versionId', 'lastUpdated']) {
    if (meta[name] !== undefined || meta[`_${name}`] !== undefined)
      run.report('invariant', `dom-4: a contained resource has no meta.${name}`, ['meta', name]);
  }
  if (meta['security'] !== undefined)
    run.report('invariant', 'dom-5: a contained resource has no security labels', ['meta', 'security']);
}

/** Checks dom-3, in time linear in the size of the resource. */
function checkAllReferredTo(contained: readonly unknown[], run: ValidationRun): void {
  contained.forEach((resource, index) => {
    if (!isObject(resource) || run.container.isReferredTo(resource)) return;
    const id = resource['id'];
    const name =
      typeof id === 'string' ? `the contained resource '#${shorten(id)}'` : 'the contained resource';
    run.report(
      'invariant',
      `dom-3: nothing in this resource refers to ${name}, and it does not refer to its container`,
      ['contained', index],
    );
  });
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
