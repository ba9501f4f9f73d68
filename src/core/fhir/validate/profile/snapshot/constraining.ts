import type { FindingRule, FindingSeverity } from '../../finding';
import type { Generation, Making } from './generation';

/** The structure whose differential is applied. */
export interface Constraining {
  readonly generation: Generation;
  readonly making: Making;
  /** Its canonical url. */
  readonly source: string;
  /** True where elements that the base does not have are new ones. */
  readonly isSpecialization: boolean;
}

/** Reports at an element of the differential. */
export function reportAt(
  { generation, making }: Constraining,
  rule: FindingRule,
  diagnostics: string,
  index: number,
  severity?: FindingSeverity,
): void {
  generation.report(making, rule, diagnostics, placeOf(index), severity);
}

/** The place of an element of the differential. */
export function placeOf(index: number): string {
  return `StructureDefinition.differential.element[${index}]`;
}
