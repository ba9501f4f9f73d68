/**
 * Reference rows of references without a reference parameter: in extensions, in contained resources, in elements that
 * are not searched. No search reads them; referential integrity uses them to find the resources that refer to another
 * one.
 */
import { visitReferenceTexts } from '../../fhir/reference';
import type { JsonObject } from '../../fhir/json';
import { containedBase } from './index-rows';
import { keyOf } from './resource-key';
import type { RowCollector, RowSettings } from './collector';

/** Returns the number of such rows of a type: that of block 0 of its contained resources, which is no resource. */
export function otherReferences(typeNumber: number): number {
  return containedBase(typeNumber, 0);
}

/**
 * Adds these rows. `covered`: numbers of the parameters that have rows of their own for References. Cost: one pass, 1
 * to 2 µs of the 60 µs that an Observation's rows take.
 */
export function addOtherReferences(
  resource: JsonObject,
  {
    typeNumber,
    covered,
    rowSettings: { localReference, typeNumber: numberOf, hasher },
    rows,
  }: {
    readonly typeNumber: number;
    readonly covered: ReadonlySet<number>;
    readonly rowSettings: RowSettings;
    readonly rows: RowCollector;
  },
): void {
  let isCovered: ReturnType<RowCollector['leadTo']> | undefined;
  visitReferenceTexts(resource, (text) => {
    const local = localReference(text);
    const targetType = local === undefined ? undefined : numberOf(local.type);
    if (local === undefined || targetType === undefined) return;
    const { high, low } = keyOf(hasher, local.type, local.id);
    isCovered ??= rows.leadTo(covered);
    if (!isCovered(targetType, high, low)) rows.reference(otherReferences(typeNumber), targetType, high, low);
  });
}
