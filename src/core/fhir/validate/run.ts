import type { JsonObject } from '../json';
import { toExpression, type JsonPath } from '../json/fault';
import { PathCache, type PathAllowance, type PathEnvironment } from '../path';
import { CodeAnswers, type CodeAnswer, type CodeQuestion } from './code-answers';
import { nameValueSet, notIn } from './coding-name';
import { Container } from './container';
import { FINDING_RULES, type Finding, type FindingRule, type FindingSeverity } from './finding';

/** A code that only the terminology service can check against its value set. */
export interface PendingCode extends CodeQuestion {
  readonly strength: 'required' | 'extensible' | 'preferred';
  readonly expression: string;
}

/** A Coding whose code and display only the terminology service can look up in its code system. */
export interface PendingCoding {
  /** It has a system and a code. */
  readonly coding: JsonObject;
  /** The place, as `ValidationRun.push` has its steps; an expression is built only for a finding. */
  readonly steps: JsonPath;
}

/** The codings of one resource; `root` is its type, the root of expressions. */
export interface CodingsToCheck {
  readonly root: string;
  readonly codings: readonly PendingCoding[];
  /** The severity of codes that their code system does not have. */
  readonly severity: 'error' | 'warning';
}

const NO_SYSTEMS: ReadonlySet<string> = new Set();

/** Limit on the codings of one resource that are looked up: for warnings only. */
const MAX_CODINGS = 2_000;

/** Limit on the listed errors of one resource, and on its other findings; a last finding says that there are more. */
export const MAX_FINDINGS = 100;

/** Limit on the codes of one resource that are looked up only for warnings. */
export const MAX_ADVICE = 1_000;

/**
 * The state of one validation of one resource: the current place, the resource at that place, and the findings. A check
 * pushes a step before it goes below an element and pops it afterwards. Expressions are built only for findings.
 *
 * State of other modules that lives as long as a run has a field here. A WeakMap by runs would keep all runs and their
 * resources alive for one more garbage collection, and so promote them to the old generation
 * (docs/bench/journal/v8.md).
 */
export class ValidationRun implements PathEnvironment {
  readonly findings: Finding[] = [];
  readonly pending: PendingCode[] = [];
  readonly codings: PendingCoding[] = [];
  /** Code systems that the terminology service does not have; codings of them are not deferred. */
  absentSystems: ReadonlySet<string> = NO_SYSTEMS;
  /** See `Validation`. */
  structureFindings = 0;
  ownFindings = 0;
  ownPending = 0;
  /** True if rules that only warn (extensible bindings, best practices) are checked too, as for $validate. */
  wantsWarnings = false;
  /** `%resource` of invariants: the innermost resource. */
  resource: JsonObject;
  /** The outermost resource with its contained resources; the same as `resource` unless that is contained. */
  container: Container;
  /** True once a constraint of the specification exceeded its budget. */
  isExhausted = false;
  /** The number of errors of status 400, listed or not. */
  faults = 0;
  /** The codes of `code-answers.ts`; those of one validation share them. */
  codes = new CodeAnswers();
  /** True: the findings only decide which other rules apply. */
  isQuiet = false;
  private errors = 0;
  private others = 0;
  private advice = 0;
  private broken: Set<JsonObject> | undefined;
  private readonly steps: (string | number)[] = [];
  private shared: PathCache | undefined;
  private foreign: ForeignEnvironment | undefined;
  /** The ProfileRun of this run; its type is object because profile/profile-run.ts imports this file. */
  profileRun: object | undefined;

  constructor(
    private readonly root: string,
    resource: JsonObject,
    /** False: only the structure; no bindings, invariants and narrative. */
    readonly isFull: boolean,
  ) {
    this.resource = resource;
    this.container = new Container(resource);
  }

  /** `%rootResource` of invariants: the container of a contained resource. */
  get rootResource(): JsonObject {
    return this.container.resource;
  }

  /** Shared by the invariants of the definitions. */
  get cache(): PathCache {
    return (this.shared ??= new PathCache());
  }

  /** The environment of constraints that a client has written. */
  foreignEnvironment(surroundings: ConstraintContext): PathEnvironment {
    if (this.foreign?.surroundings !== surroundings)
      this.foreign = new ForeignEnvironment(this, surroundings);
    return this.foreign;
  }

  /**
   * Pushes a step of the definitions, as FHIRPath has it (`name`, `value.ofType(Quantity)`), or the index of a
   * repetition. A name that a client wrote must not be pushed: it goes into `below` of `report`, which quotes it.
   */
  push(step: string | number): void {
    this.steps.push(step);
  }

  pop(): void {
    this.steps.pop();
  }

  /** The step of the element around the current one, without indexes; undefined if that is the root. */
  get outerStep(): string | undefined {
    let elements = 0;
    for (let at = this.steps.length - 1; at >= 0; at--) {
      const step = this.steps[at];
      if (typeof step === 'string' && ++elements === 2) return step;
    }
    return undefined;
  }

  /** True if there are more errors than are listed, so that checks can stop. */
  get isOver(): boolean {
    return this.errors > MAX_FINDINGS;
  }

  /** Adds a finding at the current place, or at `below` it. Errors and others are counted and limited separately. */
  report(
    rule: FindingRule,
    diagnostics: string,
    below: JsonPath = [],
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

  /** Defers codes at the current place, or at `below` it, to the terminology service. */
  addPendingCode(code: Omit<PendingCode, 'expression'>, below: JsonPath = []): void {
    if (this.isQuiet) {
      if (code.strength === 'required' && this.codes.find(code) === false)
        this.report('binding', notIn(code.codings, nameValueSet(code.valueSet)), below);
      return;
    }
    if (code.strength !== 'required' && ++this.advice > MAX_ADVICE) {
      if (this.advice > MAX_ADVICE + 1) return;
      const diagnostics = `Only the first ${MAX_ADVICE} codes of extensible bindings are looked up`;
      this.report('tooCostly', diagnostics, below, 'information');
      return;
    }
    this.pending.push({ ...code, expression: this.expression(below) });
  }

  /** Defers a Coding at the current place to the terminology service. */
  addCoding(system: string, coding: JsonObject): void {
    if (this.absentSystems.has(system) || this.codings.length >= MAX_CODINGS) return;
    this.codings.push({ coding, steps: this.steps.slice() });
  }

  /** Marks an object that has the wrong shape in or below it, so that no invariant is evaluated on it. */
  markBroken(object: JsonObject): void {
    (this.broken ??= new Set()).add(object);
  }

  isBroken(object: JsonObject): boolean {
    return this.broken?.has(object) === true;
  }

  expression(below: JsonPath = []): string {
    return expressionOf(this.root, this.steps, below);
  }
}

/** Returns the FHIRPath of a place; `below` may have names that a client wrote. */
export function expressionOf(root: string, steps: JsonPath, below: JsonPath): string {
  let place = root;
  for (const step of steps) place += typeof step === 'number' ? `[${step}]` : `.${step}`;
  return toExpression(place, below);
}

/** The context of constraints of a client, besides the resource. */
export interface ConstraintContext {
  /** Their budget. */
  readonly allowance: PathAllowance;
  /** Returns the resource of the same Bundle that a reference means. */
  findBundled(reference: string): JsonObject | undefined;
  /** Answers memberOf(). */
  isMember(valueSet: string, codings: CodeQuestion['codings']): CodeAnswer;
}

class ForeignEnvironment implements PathEnvironment {
  readonly cache = new PathCache();

  constructor(
    private readonly run: ValidationRun,
    readonly surroundings: ConstraintContext,
  ) {}

  get allowance(): PathAllowance {
    return this.surroundings.allowance;
  }

  get resource(): JsonObject {
    return this.run.resource;
  }

  get rootResource(): JsonObject {
    return this.run.rootResource;
  }

  findBundled(reference: string): JsonObject | undefined {
    return this.surroundings.findBundled(reference);
  }

  isMember(valueSet: string, codings: CodeQuestion['codings']): CodeAnswer {
    return this.surroundings.isMember(valueSet, codings);
  }
}
