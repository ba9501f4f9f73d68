/**
 * Rows of contained resources, so that chains find their container by them (search-rules.md, Reference). Source:
 * https://hl7.org/fhir/R4/search.html#contained
 */
import type { JsonObject } from '../../fhir/json';
import { containedBase, MAX_CONTAINED, ROW_SCHEME } from '../index-rows';
import type { ParameterPath } from '../parameter-path';
import { keyOf } from '../resource-key';
import type { RowCollector, RowSettings } from './collector';
import { containedIdOf, findContained, type ContainedResource } from './reference';

/** A reference parameter with rows under a number of its own. */
export interface ReferencePath {
  readonly number: number;
  readonly valuesOf: ParameterPath;
}

/** How the rows of a type are made. */
export interface ContainedRules {
  readonly references: readonly ReferencePath[];
  add(content: JsonObject): void;
}

/**
 * Adds the rows of the contained resources that the container refers to by `references`, and of those that they refer
 * to, each in a block of its own, so that a chain meets the values of one of them only.
 */
export function addContainedRows(
  containerType: number,
  container: JsonObject,
  references: readonly ReferencePath[],
  rulesOf: (type: string) => ContainedRules,
  { hasher, typeNumber }: RowSettings,
  rows: RowCollector,
): void {
  const blocks = new Map<string, ContainedResource & { readonly block: number }>();
  const mark = ({ number, valuesOf }: ReferencePath, root: JsonObject): void => {
    for (const found of valuesOf(root)) {
      const id = containedIdOf(found);
      const target = id === undefined ? undefined : findContained(container, id);
      const type = target && typeNumber(target.type);
      if (id === undefined || target === undefined || type === undefined) continue;
      const block = blocks.get(id)?.block ?? blocks.size + 1;
      if (block > MAX_CONTAINED) continue;
      blocks.set(id, { ...target, block });
      rows.token(number + ROW_SCHEME.contained, 0, type, block);
      rows.token(number + ROW_SCHEME.contained, type, block, 0);
    }
  };
  for (const reference of references) mark(reference, container);
  // What is added on the way is gone through too.
  for (const [id, { type, content, block }] of blocks) {
    rows.base = containedBase(containerType, block);
    const rules = rulesOf(type);
    rules.add(content);
    const { high, low } = keyOf(hasher, type, id);
    rows.token(ROW_SCHEME.containedId, high, low, 0);
    for (const reference of rules.references) mark(reference, content);
  }
  rows.base = 0;
}
