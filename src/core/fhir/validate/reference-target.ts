/** Checks the targets of references. Source: https://hl7.org/fhir/R4/references.html */
import type { Definitions, ElementType } from '../definitions';
import type { JsonObject } from '../json';
import { shorten } from '../json/fault';
import { parseReference } from '../reference/literal';
import { listNames, withArticle } from './found';
import type { ValidationRun } from './run';

const TYPE_URL = 'http://hl7.org/fhir/StructureDefinition/';

/**
 * Returns the resource type that a literal reference names. `Patient/1`, `Patient/1/_history/2` and
 * `Patient?identifier=…` begin with it. An http url names it if it ends like a relative reference to a type of the
 * release; other urls reveal nothing about their target (references.html#literal). Undefined for all others.
 */
export function referencedType(text: string, definitions: Definitions): string | undefined {
  const { kind, type } = parseReference(text);
  if (type === undefined) return undefined;
  return kind === 'absolute' && !definitions.isResourceType(type) ? undefined : type;
}

/** The types that the definition of an element allows as targets of its references. */
export class TargetCheck {
  private constructor(
    private readonly definitions: Definitions,
    private readonly allowed: ReadonlySet<string>,
    /** For CodeableReference: the member that has the reference. */
    private readonly member: 'reference' | undefined,
  ) {}

  /** Undefined if any type is allowed, or if a target is a profile, which a reference alone does not reveal. */
  static of(definitions: Definitions, { code, targets }: ElementType): TargetCheck | undefined {
    if (targets === undefined) return undefined;
    const allowed = new Set<string>();
    for (const target of targets) {
      const structure = definitions.structure(target);
      if (structure === undefined) return undefined;
      const types = structure.isAbstract ? definitions.resourceTypes : [target];
      for (const type of types) if (definitions.conformsTo(type, target)) allowed.add(type);
    }
    if (allowed.size === definitions.resourceTypes.length) return undefined;
    return new TargetCheck(definitions, allowed, code === 'CodeableReference' ? 'reference' : undefined);
  }

  /** Input: a Reference or CodeableReference at the current place. */
  check(value: JsonObject, run: ValidationRun): void {
    if (this.member === undefined) {
      this.checkReference(value, run);
      return;
    }
    const reference = value[this.member];
    if (typeof reference !== 'object' || reference === null || Array.isArray(reference)) return;
    run.push(this.member);
    this.checkReference(reference, run);
    run.pop();
  }

  private checkReference(value: JsonObject, run: ValidationRun): void {
    const reference = value['reference'];
    if (typeof reference === 'string') {
      const slash = reference.indexOf('/');
      if (slash > 0 && this.allowed.has(reference.slice(0, slash))) return;
      const type = reference.startsWith('#')
        ? this.typeOfContained(reference, run)
        : referencedType(reference, this.definitions);
      if (type !== undefined) {
        if (!this.allowed.has(type)) this.report(type, 'reference', run);
        return;
      }
    }
    // If the literal names no type, the element `type` does. checkReference tests that both agree.
    const type = value['type'];
    if (typeof type !== 'string') return;
    const name = toTypeName(type);
    if (!this.allowed.has(name)) this.report(name, 'type', run);
  }

  /** Input: `#id`. Undefined if no contained resource has that id, or if it has no type. */
  typeOfContained(reference: string, run: ValidationRun): string | undefined {
    const type = run.container.find(reference.slice(1))?.['resourceType'];
    return typeof type === 'string' ? type : undefined;
  }

  allows(type: string): boolean {
    return this.allowed.has(type);
  }

  sentence(type: string): string {
    return `The reference is to ${withArticle(shorten(type))}; allowed are references to ${listNames(this.allowed)}`;
  }

  private report(type: string, member: string, run: ValidationRun): void {
    run.report('reference', this.sentence(type), [member]);
  }
}

/**
 * Checks uris that may be `#id`. Each counts as a reference to a contained resource (dom-3); canonicals also have
 * targets.
 */
export class FragmentCheck {
  constructor(private readonly targets: TargetCheck | undefined) {}

  /** Input: text that begins with `#`; the step of its element, which is not pushed yet. */
  check(text: string, step: string, index: number | undefined, run: ValidationRun): void {
    run.container.refer(text.slice(1));
    const type = this.targets?.typeOfContained(text, run);
    if (type === undefined || this.targets === undefined || this.targets.allows(type)) return;
    run.push(step);
    if (index !== undefined) run.push(index);
    run.report('reference', this.targets.sentence(type));
    if (index !== undefined) run.pop();
    run.pop();
  }
}

/**
 * Checks the rules of every Reference: `#id` names a contained resource (ref-1), and `type` does not contradict the
 * literal reference.
 */
export function checkReference(value: JsonObject, run: ValidationRun, definitions: Definitions): void {
  const reference = value['reference'];
  if (typeof reference !== 'string') return;
  let type: string | undefined;
  if (reference.startsWith('#')) {
    const id = reference.slice(1);
    run.container.refer(id);
    const target = id === '' && !run.container.isInside ? undefined : run.container.find(id);
    if (target === undefined) run.report('invariant', unresolvedSentence(reference));
    else if (typeof target['resourceType'] === 'string') type = target['resourceType'];
  }
  const declared = value['type'];
  if (typeof declared !== 'string') return;
  type ??= referencedType(reference, definitions);
  const name = toTypeName(declared);
  if (type !== undefined && name !== type && definitions.isResourceType(type)) {
    const sentence = `The type '${shorten(declared)}' contradicts the reference, which is to ${withArticle(shorten(type))}`;
    run.report('reference', sentence, ['type']);
  }
}

function unresolvedSentence(reference: string): string {
  return reference === '#'
    ? "ref-1: '#' stands for the container of a contained resource, but this resource is not contained"
    : `ref-1: '${shorten(reference)}' was found, but no contained resource has this id`;
}

/** "References to canonicals relative to http://hl7.org/fhir/StructureDefinition/". */
function toTypeName(type: string): string {
  return type.startsWith(TYPE_URL) ? type.slice(TYPE_URL.length) : type;
}
