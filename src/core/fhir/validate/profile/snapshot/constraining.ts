import type { JsonObject } from '../../../json';
import type { FindingRule, FindingSeverity } from '../../finding';
import type { ElementAllowance, ElementNode } from './tree';

/** A structure that is made because another rests on it: what is wrong inside is reported at the place that led there. */
export interface Inside {
  readonly name: string;
  readonly expression: string;
  /** True where the other can do without it. */
  readonly isOptional: boolean;
}

/** The structure that is being made. */
export interface Making {
  /** Urls of it and of the structures that it is made for. */
  readonly chain: readonly string[];
  /** Undefined for the one that was asked for. */
  readonly inside: Inside | undefined;
}

/** The generation that a structure is made in; see Generation. */
export interface SharedGeneration extends ElementAllowance {
  measure(definition: JsonObject): void;
  pause(): Promise<void>;
  report(
    making: Making,
    rule: FindingRule,
    diagnostics: string,
    expression: string,
    severity?: FindingSeverity,
  ): void;
  treeOf(
    canonical: string,
    making: Making,
    expression: string,
    severity?: FindingSeverity,
  ): Promise<ElementNode | undefined>;
}

/** The structure whose differential is applied. */
export interface Constraining {
  readonly generation: SharedGeneration;
  readonly making: Making;
  /** Its canonical url. */
  readonly source: string;
  /** True where elements that the base does not have are new ones. */
  readonly isSpecialization: boolean;
}

/** Reports at an element of the differential. */
export function reportAt(
  { generation, making }: Constraining,
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
  generation.report(making, rule, diagnostics, placeOf(index), severity);
}

/** The place of an element of the differential. */
export function placeOf(index: number): string {
  return `StructureDefinition.differential.element[${index}]`;
}
