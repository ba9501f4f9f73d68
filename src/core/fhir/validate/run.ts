import type { JsonObject } from '../json';
import { toExpression } from '../json/fault';
import type { Finding, FindingRule, FindingSeverity } from './finding';

/** A code of which only the terminology service can say whether its value set has it. */
export interface PendingCode {
  /** Canonical url of the value set, with `|version` where the binding has one. */
  readonly valueSet: string;
  readonly strength: 'required' | 'extensible' | 'preferred';
  /** What was given; of a CodeableConcept all codings, of which one must be in the value set. */
  readonly codings: readonly { readonly system?: string; readonly code: string }[];
  readonly expression: string;
}

/** The findings of one resource are counted up to here; then the search ends with one that says so. */
export const MAX_FINDINGS = 100;

/**
 * One validation of one resource: where it is just now, which resource that belongs to, and what was found. Checks
 * push a step before they look below an element and pop it afterwards; expressions are made only for findings.
 */
export class ValidationRun {
  readonly findings: Finding[] = [];
  readonly pending: PendingCode[] = [];
  /** `%resource` of invariants: the innermost resource. */
  resource: JsonObject;
  /** `%rootResource`: the container of a contained resource. */
  rootResource: JsonObject;
  private readonly steps: (string | number)[] = [];

  constructor(
    private readonly root: string,
    resource: JsonObject,
    /** False: structure alone; no bindings, invariants and narrative. */
    readonly isFull: boolean,
  ) {
    this.resource = resource;
    this.rootResource = resource;
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

  /** True when nothing more needs to be looked for. */
  get isOver(): boolean {
    return this.findings.length >= MAX_FINDINGS;
  }

  /** Adds a finding at the present place, or at `below` it. */
  report(
    rule: FindingRule,
    diagnostics: string,
    below: readonly (string | number)[] = [],
    severity: FindingSeverity = 'error',
  ): void {
    if (this.findings.length > MAX_FINDINGS) return;
    if (this.findings.length === MAX_FINDINGS) {
      this.findings.push({
        rule: 'tooCostly',
        severity: 'information',
        diagnostics: `There are more than ${MAX_FINDINGS} faults; the others are not listed`,
        expression: this.root,
      });
      return;
    }
    this.findings.push({ rule, severity, diagnostics, expression: this.expression(below) });
  }

  expression(below: readonly (string | number)[] = []): string {
    let place = this.root;
    for (const step of this.steps) place += typeof step === 'number' ? `[${step}]` : `.${step}`;
    return toExpression(place, below);
  }
}
