/**
 * Constraints that code enforces instead of their FHIRPath. Either the structural check already excludes a violation,
 * or their expression is too expensive, or FHIRPath leaves their meaning to code.
 */
export interface NativeInvariant {
  /** The files, below core/fhir, that enforce it. */
  readonly where: string;
  readonly reason: string;
}

const COSTLY = 'its expression looks through the whole resource for each element or contained resource';

/** By key. All have severity error, belong to the base types, and mean the same in every release. */
export const NATIVE_INVARIANTS: ReadonlyMap<string, NativeInvariant> = new Map([
  [
    'ele-1',
    {
      where: 'validate/object-check.ts, validate/primitive-member.ts',
      reason: 'every element of every resource has it; what the engine accepts has a value or children',
    },
  ],
  [
    'ext-1',
    { where: 'validate/native-rules.ts', reason: 'extensions are many, and have 50 types of values' },
  ],
  [
    'dom-2',
    { where: 'validate/resource-check.ts', reason: 'the engine meets each contained resource anyway' },
  ],
  ['dom-3', { where: 'validate/resource-check.ts', reason: COSTLY }],
  [
    'dom-4',
    { where: 'validate/resource-check.ts', reason: 'the engine meets each contained resource anyway' },
  ],
  [
    'dom-5',
    { where: 'validate/resource-check.ts', reason: 'the engine meets each contained resource anyway' },
  ],
  [
    'ref-1',
    {
      where: 'validate/reference-target.ts',
      reason: `${COSTLY}; besides, it is empty for a Reference that has only an identifier or a display, so that R5 begins it with "reference.exists() implies"`,
    },
  ],
  ['txt-1', { where: 'validate/narrative.ts', reason: 'htmlChecks() has no definition in FHIRPath' }],
  ['txt-2', { where: 'validate/narrative.ts', reason: 'htmlChecks() has no definition in FHIRPath' }],
]);
