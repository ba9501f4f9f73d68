import type { JsonObject } from '../json';
import { toExpression } from '../json/fault';
import { PathMemory, type PathAllowance, type PathEnvironment } from '../path';
import { Container } from './container';
import { FINDING_RULES, type Finding, type FindingRule, type FindingSeverity } from './finding';

/** A code of which only the terminology service can say whether its value set has it. */
export interface PendingCode {
  /** Canonical url of the value set, with `|version` where the binding has one. */
  readonly valueSet: string;
  readonly strength: 'required' | 'extensible' | 'preferred';
  /** What was given; of a CodeableConcept all codings, of which one must be in the value set. */
  readonly codings: readonly { readonly system?: string; readonly code: string }[];
  readonly expression: string;
}

/** So many errors of one resource are listed, and as many warnings; a last finding says when there were more. */
export const MAX_FINDINGS = 100;

/** So many codes of one resource are looked up for warnings alone. */
export const MAX_ADVICE = 1_000;

/**
 * One validation of one resource: where it is just now, which resource that belongs to, and what was found. Checks
 * push a step before they look below an element and pop it afterwards; expressions are made only for findings.
 *
 * What others want to keep for as long as a run has a field here: a WeakMap by runs would keep all of them, with their
 * resources, for one collection more, and by that move them to where only a whole collection finds them
 * (docs/bench/journal/v8.md).
 */
export class ValidationRun implements PathEnvironment {
  readonly findings: Finding[] = [];
  readonly pending: PendingCode[] = [];
  /** True where what only warns (extensible bindings, best practices) is to be looked at too, as $validate does. */
  wantsWarnings = false;
  /** `%resource` of invariants: the innermost resource. */
  resource: JsonObject;
  /** That resource, or what contains it, with its contained resources. */
  container: Container;
  /** True once a constraint of the specification took too long. */
  isExhausted = false;
  /** How many errors of status 400 were met, listed or not. */
  faults = 0;
  private errors = 0;
  private others = 0;
  private advice = 0;
  private broken: Set<JsonObject> | undefined;
  private readonly steps: (string | number)[] = [];
  private shared: PathMemory | undefined;
  private foreign: ForeignEnvironment | undefined;
  /** A ProfileRun, of the profiles that are asked about the resource (profile/profile-run.ts, which imports this file). */
  profileRun: object | undefined;

  constructor(
    private readonly root: string,
    resource: JsonObject,
    /** False: structure alone; no bindings, invariants and narrative. */
    readonly isFull: boolean,
  ) {
    this.resource = resource;
    this.container = new Container(resource);
  }

  /** `%rootResource` of invariants: the container of a contained resource. */
  get rootResource(): JsonObject {
    return this.container.resource;
  }

  /** Of the invariants of the definitions, together. */
  get memory(): PathMemory {
    return (this.shared ??= new PathMemory());
  }

  /** Of constraints that a client has written, at the expense of this allowance. */
  foreignEnvironment(allowance: PathAllowance): PathEnvironment {
    if (this.foreign?.allowance !== allowance) this.foreign = new ForeignEnvironment(this, allowance);
    return this.foreign;
  }

  /**
   * A step of the definitions, as FHIRPath has it (`name`, `value.ofType(Quantity)`), or the index of a repetition.
   * Never a name that a client wrote: those go into `below` of `report`, which quotes them.
   */
  push(step: string | number): void {
    this.steps.push(step);
  }

  pop(): void {
    this.steps.pop();
  }

  /** The step of the element around the present one, indexes left out; undefined where that is the root. */
  get outerStep(): string | undefined {
    let elements = 0;
    for (let at = this.steps.length - 1; at >= 0; at--) {
      const step = this.steps[at];
      if (typeof step === 'string' && ++elements === 2) return step;
    }
    return undefined;
  }

  /** True when nothing more needs to be looked for. */
  get isOver(): boolean {
    return this.errors > MAX_FINDINGS;
  }

  /** Adds a finding at the present place, or at `below` it. Errors and others are counted and bounded apart. */
  report(
    rule: FindingRule,
    diagnostics: string,
    below: readonly (string | number)[] = [],
    severity: FindingSeverity = 'error',
  ): void {
    const isError = severity === 'error';
    if (isError && FINDING_RULES[rule].status === 400) this.faults++;
    const count = isError ? ++this.errors : ++this.others;
    if (count <= MAX_FINDINGS) {
      this.findings.push({ rule, severity, diagnostics, expression: this.expression(below) });
    } else if (count === MAX_FINDINGS + 1) {
      this.findings.push({
        rule: 'tooCostly',
        severity: 'information',
        diagnostics: `There are more than ${MAX_FINDINGS} ${isError ? 'errors' : 'warnings'}; the others are not listed`,
        expression: this.root,
      });
    }
  }

  /** Leaves codes at the present place, or at `below` it, to the terminology service. */
  ask(question: Omit<PendingCode, 'expression'>, below: readonly (string | number)[] = []): void {
    if (question.strength !== 'required' && ++this.advice > MAX_ADVICE) {
      if (this.advice > MAX_ADVICE + 1) return;
      const diagnostics = `Only the first ${MAX_ADVICE} codes of extensible bindings are looked up`;
      this.report('tooCostly', diagnostics, below, 'information');
      return;
    }
    this.pending.push({ ...question, expression: this.expression(below) });
  }

  /** Remembers that something in or below the object has the wrong shape, so that no invariant is asked about it. */
  markBroken(object: JsonObject): void {
    (this.broken ??= new Set()).add(object);
  }

  isBroken(object: JsonObject): boolean {
    return this.broken?.has(object) === true;
  }

  expression(below: readonly (string | number)[] = []): string {
    let place = this.root;
    for (const step of this.steps) place += typeof step === 'number' ? `[${step}]` : `.${step}`;
    return toExpression(place, below);
  }
}

class ForeignEnvironment implements PathEnvironment {
  readonly memory = new PathMemory();

  constructor(
    private readonly run: ValidationRun,
    readonly allowance: PathAllowance,
  ) {}

  get resource(): JsonObject {
    return this.run.resource;
  }

  get rootResource(): JsonObject {
    return this.run.rootResource;
  }
}
