/**
 * Reference rows of what no reference parameter leads to: in extensions, in contained resources, in elements that nothing
 * searches. No search reads them; they tell who refers to a resource (referential integrity).
 */
import { visitReferenceTexts } from '../../fhir/reference';
import type { JsonObject } from '../../fhir/json';
import { containedBase } from '../index-rows';
import { keyOf } from '../resource-key';
import type { RowCollector, RowSettings } from './collector';

/** The number that such rows of a type have: among those of its contained resources the one that is of none. */
export function otherReferences(typeNumber: number): number {
  return containedBase(typeNumber, 0);
}

/** `covered`: numbers of the parameters that have rows of their own for References. Cost: one walk, 1 to 2 µs of the 60 that an Observation's rows take. */
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
