/**
 * Index rows of the first resource of a stored document or message, and of the entries that it refers to. Chains find
 * the Bundle by them, as they find the container of a contained resource.
 * Source: https://hl7.org/fhir/R4/bundle.html#search-parameters, #references; docs/use/search.md, Reference.
 */
import { EntryIndex } from '../../fhir/bundle/entry-index';
import { isJsonObject, type JsonObject } from '../../fhir/json';
import type { PathValue } from '../../fhir/path';
import { containedBase, MAX_CONTAINED, ROW_SCHEME } from '../index-rows';
import { keyOf } from '../resource-key';
import type { RowSettings } from './collector';
import { markLink, type BlockTarget, type FoundBlock, type ReferencePath } from './contained';
import { containedIdOf, findContained, literalOf } from './reference';

/** A resource of the Bundle that has rows, and the links by which a chain reaches it. */
interface EntryBlock extends FoundBlock {
  readonly from: readonly {
    /** 0: the Bundle itself. */
    readonly block: number;
    readonly parameter: number;
  }[];
}

/**
 * Finds the first resource of a Bundle by the parameters that have it as their value, and the resources that it refers to:
 * entries and its contained ones. Of more than MAX_CONTAINED the references of those parameters win that have the fewest, so
 * that the entries of long sections do not displace the subject. Cost: one pass over the entries.
 */
export function findEntryBlocks(
  bundle: JsonObject,
  embedded: readonly ReferencePath[],
  referencesOf: (type: string) => readonly ReferencePath[],
  typeNumber: RowSettings['typeNumber'],
): readonly EntryBlock[] {
  const [root] = embedded.flatMap(({ number, valuesOf }) =>
    valuesOf(bundle).map(({ value }) => ({ value, link: { block: 0, parameter: number } })),
  );
  if (root === undefined || !isJsonObject(root.value)) return [];
  const { value: content, link } = root;
  const rootType = typeOf(content, typeNumber);
  if (rootType === undefined) return [];
  const found = new Map<JsonObject, EntryBlock>([
    [content, { ...blockOf(rootType, content, 1), from: [link] }],
  ]);
  for (const { parameter, targets } of targetsOf(bundle, content, referencesOf(rootType))) {
    for (const target of targets) {
      const type = typeOf(target, typeNumber);
      const before = found.get(target);
      if (type === undefined || (before === undefined && found.size >= MAX_CONTAINED)) continue;
      const block = before ?? { ...blockOf(type, target, found.size + 1), from: [] };
      found.set(target, { ...block, from: [...block.from, { block: 1, parameter }] });
    }
  }
  return [...found.values()];
}

function typeOf({ resourceType }: JsonObject, typeNumber: RowSettings['typeNumber']): string | undefined {
  return typeof resourceType === 'string' && typeNumber(resourceType) !== undefined
    ? resourceType
    : undefined;
}

function blockOf(type: string, content: JsonObject, block: number): FoundBlock {
  const { id } = content;
  return { type, content, block, id: typeof id === 'string' ? id : undefined };
}

/** Returns the resources that the first one refers to, by parameter, those with few of them first. */
function targetsOf(
  bundle: JsonObject,
  first: JsonObject,
  references: readonly ReferencePath[],
): readonly { readonly parameter: number; readonly targets: readonly JsonObject[] }[] {
  const { entry } = bundle;
  const own = Array.isArray(entry) && isJsonObject(entry[0]) ? entry[0]['fullUrl'] : undefined;
  const from = typeof own === 'string' ? own : undefined;
  const entries = new EntryIndex(bundle);
  const resolve = (value: PathValue): readonly JsonObject[] => {
    const inside = containedIdOf(value);
    const contained = inside === undefined ? undefined : findContained(first, inside)?.content;
    if (contained !== undefined) return [contained];
    const reference = literalOf(value);
    return reference === undefined ? [] : entries.find(reference, from).slice(0, 1);
  };
  return references
    .map(({ number, valuesOf }) => ({ parameter: number, targets: valuesOf(first).flatMap(resolve) }))
    .sort((one, other) => one.targets.length - other.targets.length);
}

/** Adds the rows of these resources. One whose rows would be too many has none, because the Bundle is stored all the same. */
export function addEntryRows(
  containerType: number,
  embedded: readonly ReferencePath[],
  { container, rulesOf, rowSettings: { hasher, typeNumber }, rows }: BlockTarget,
): void {
  const blocks = findEntryBlocks(container, embedded, (type) => rulesOf(type).references, typeNumber);
  for (const { id, type, content, block, from } of blocks) {
    const add = (): void => {
      rows.base = containedBase(containerType, block);
      rulesOf(type).add(content);
      if (id !== undefined) {
        const { high, low } = keyOf(hasher, type, id);
        rows.token(ROW_SCHEME.containedId, high, low, 0);
      }
      for (const link of from) {
        rows.base = link.block === 0 ? 0 : containedBase(containerType, link.block);
        markLink({ parameter: link.parameter, type: typeNumber(type) ?? 0, block }, rows);
      }
    };
    // Without the first resource nothing leads to the others.
    if (!rows.attempt(add) && block === 1) return;
  }
}
