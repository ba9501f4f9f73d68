import type { JsonObject } from '../../../json';
import type { Finding, FindingRule, FindingSeverity } from '../../finding';
import type { ElementAllowance, ElementNode } from './tree';

/**
 * A structure that is generated because another one needs it. Its faults are reported at the place in the other one
 * that led to it.
 */
export interface RequiredStructure {
  readonly name: string;
  readonly expression: string;
  /** True if the other one can do without it. */
  readonly isOptional: boolean;
}

/** The structure that is being generated. */
export interface GeneratedStructure {
  /** The urls of it and of the structures that it is generated for. */
  readonly chain: readonly string[];
  /** Undefined for the requested structure. */
  readonly required: RequiredStructure | undefined;
}

/** A finding in the structure that is being generated; an error if it has no severity. */
export type GenerationFinding = Omit<Finding, 'severity'> & { readonly severity?: FindingSeverity };

/** The generation that a structure belongs to; see Generation. */
export interface SharedGeneration extends ElementAllowance {
  measure(definition: JsonObject): void;
  pause(): Promise<void>;
  report(generated: GeneratedStructure, finding: GenerationFinding): void;
  treeOf(
    canonical: string,
    generated: GeneratedStructure,
    expression: string,
    severity?: FindingSeverity,
  ): Promise<ElementNode | undefined>;
}

/** The structure whose differential is applied. */
export interface DifferentialContext {
  readonly generation: SharedGeneration;
  readonly generated: GeneratedStructure;
  /** Its canonical url. */
  readonly source: string;
  /** True if elements that the base does not have are new ones. */
  readonly isSpecialization: boolean;
}

/** Reports a finding at an element of the differential. */
export function reportAt(
  { generation, generated }: DifferentialContext,
  {
    rule,
    diagnostics,
    index,
    severity,
  }: {
    readonly rule: FindingRule;
    readonly diagnostics: string;
    readonly index: number;
    readonly severity?: FindingSeverity;
  },
): void {
  generation.report(generated, { rule, severity, diagnostics, expression: placeOf(index) });
}

/** The place of an element of the differential. */
export function placeOf(index: number): string {
  return `StructureDefinition.differential.element[${index}]`;
}
