/**
 * Index rows of the first resource of a stored document or message, and of the entries that it refers to. Chains find
 * the Bundle by them, as they find the container of a contained resource.
 * Source: https://hl7.org/fhir/R4/bundle.html#search-parameters, #references; docs/use/search.md, Reference.
 */
import { EntryIndex, toEntry, type BundleEntry } from '../../fhir/bundle/entry-index';
import type { JsonObject } from '../../fhir/json';
import type { PathValue } from '../../fhir/path';
import { parseReference } from '../../fhir/reference';
import { containedBase, MAX_CONTAINED, ROW_SCHEME } from '../index-rows';
import { keyOf } from '../resource-key';
import type { RowSettings } from './collector';
import { markLink, type BlockTarget, type FoundBlock, type ReferencePath } from './contained';
import { addLiteralRow, containedIdOf, findContained, literalOf } from './reference';

/** A resource of the Bundle that has rows, and the links by which a chain reaches it. */
interface EntryBlock extends FoundBlock {
  readonly from: readonly {
    /** 0: the Bundle itself. */
    readonly block: number;
    readonly parameter: number;
  }[];
  readonly home: Home;
}

/** Where the references of a resource lead. */
interface Home {
  readonly entries: EntryIndex;
  /** The entry that the resource is, or that contains it. */
  readonly entry: BundleEntry;
}

/** A resource that another one refers to. */
interface Target {
  readonly content: JsonObject;
  readonly home: Home;
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
  const { entry: items } = bundle;
  const entry = toEntry(Array.isArray(items) ? items[0] : undefined);
  if (root === undefined || entry === undefined || root.value !== entry.resource) return [];
  const content = entry.resource;
  const rootType = typeOf(content, typeNumber);
  if (rootType === undefined) return [];
  const home: Home = { entries: new EntryIndex(bundle), entry };
  const found = new Map<JsonObject, EntryBlock>([
    [content, { ...blockOf(rootType, content, 1), from: [root.link], home }],
  ]);
  for (const { parameter, targets } of targetsOf({ content, home }, referencesOf(rootType))) {
    for (const target of targets) {
      const type = typeOf(target.content, typeNumber);
      const before = found.get(target.content);
      if (type === undefined || (before === undefined && found.size >= MAX_CONTAINED)) continue;
      const block = before ?? {
        ...blockOf(type, target.content, found.size + 1),
        from: [],
        home: target.home,
      };
      found.set(target.content, { ...block, from: [...block.from, { block: 1, parameter }] });
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
  { content, home }: Target,
  references: readonly ReferencePath[],
): readonly { readonly parameter: number; readonly targets: readonly Target[] }[] {
  const { entries, entry } = home;
  const resolve = (value: PathValue): readonly Target[] => {
    const inside = containedIdOf(value);
    const contained = inside === undefined ? undefined : findContained(entry.resource, inside)?.content;
    if (contained !== undefined) return [{ content: contained, home }];
    const reference = literalOf(value);
    if (reference === undefined) return [];
    const [first] = entries.find(reference, entry.fullUrl);
    return first === undefined ? [] : [{ content: first.resource, home: { entries, entry: first } }];
  };
  return references
    .map(({ number, valuesOf }) => ({ parameter: number, targets: valuesOf(content).flatMap(resolve) }))
    .sort((one, other) => one.targets.length - other.targets.length);
}

/** Adds the rows of these resources. One whose rows would be too many has none, because the Bundle is stored all the same. */
export function addEntryRows(
  containerType: number,
  embedded: readonly ReferencePath[],
  { container, rulesOf, rowSettings, rows }: BlockTarget,
): void {
  const { hasher, typeNumber } = rowSettings;
  const blocks = findEntryBlocks(container, embedded, (type) => rulesOf(type).references, typeNumber);
  for (const { id, type, content, block, from, home } of blocks) {
    const inEntry = withAddresses(rowSettings, home);
    const add = (): void => {
      rows.base = containedBase(containerType, block);
      rulesOf(type).add(content, inEntry);
      if (id !== undefined) {
        const { high, low } = keyOf(hasher, type, id);
        rows.token(ROW_SCHEME.containedId, high, low, 0);
      }
      for (const link of from) {
        rows.base = link.block === 0 ? 0 : containedBase(containerType, link.block);
        markLink({ parameter: link.parameter, type: typeNumber(type) ?? 0, block }, rows);
      }
    };
    for (const { parameter } of from.filter((link) => link.block === 0 && id !== undefined))
      addLiteralRow(nameOf(type, id ?? '', home), parameter, rowSettings, rows);
    // Without the first resource nothing leads to the others.
    if (!rows.attempt(add) && block === 1) return;
  }
}

/** The relative references of an entry of another server do not lead to resources of this one. */
function withAddresses(settings: RowSettings, { entries, entry: { fullUrl } }: Home): RowSettings {
  return { ...settings, addressOf: (reference) => entries.addressOf(reference, fullUrl) };
}

/** Returns the reference by which a search finds the Bundle of this first resource: at its own server if it has one. */
function nameOf(type: string, id: string, { entry: { fullUrl } }: Home): string {
  const { base } = parseReference(fullUrl ?? '');
  return base === undefined ? `${type}/${id}` : `${base}/${type}/${id}`;
}
