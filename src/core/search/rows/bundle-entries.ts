/**
 * Index rows of the first resource of a stored document or message, and of the entries that it leads to. Chains find the
 * Bundle by them, as they find the container of a contained resource.
 * Source: https://hl7.org/fhir/R4/bundle.html#search-parameters, #references; docs/use/search-reference.md, Reference.
 */
import { EntryIndex, toEntry, type BundleEntry } from '../../fhir/bundle/entry-index';
import { isJsonObject, type JsonObject } from '../../fhir/json';
import type { PathValue } from '../../fhir/path';
import { containedBase, MAX_CONTAINED, ROW_SCHEME } from './index-rows';
import { keyOf } from './resource-key';
import type { RowSettings } from './collector';
import {
  markLink,
  type BlockTarget,
  type ContainedRules,
  type FoundBlock,
  type ReferencePath,
} from './contained';
import { containedIdOf, literalOf } from './reference';

/** A resource of the Bundle that has rows. */
interface EntryBlock extends FoundBlock {
  /** The links by which a chain reaches it. */
  readonly from: Link[];
  readonly home: EntryScope;
}

interface Link {
  /** 0: the Bundle itself. */
  readonly block: number;
  readonly parameter: number;
}

/** Resolves the references of a resource of a Bundle. */
class EntryScope {
  private byId: ReadonlyMap<string, JsonObject> | undefined;

  /** `entry`: the entry that the resource is, or that contains it. */
  constructor(
    readonly entries: EntryIndex,
    readonly entry: BundleEntry,
  ) {}

  /** Returns the resource that a value of a reference parameter refers to inside the Bundle; undefined: there is none. */
  targetOf(value: PathValue): Target | undefined {
    const inside = containedIdOf(value);
    if (inside !== undefined) {
      this.byId ??= containedById(this.entry.resource);
      const content = this.byId.get(inside);
      return content && { content, home: this };
    }
    const reference = literalOf(value);
    const [first] = reference === undefined ? [] : this.entries.find(reference, this.entry.fullUrl);
    return first && { content: first.resource, home: new EntryScope(this.entries, first) };
  }
}

function containedById({ contained }: JsonObject): ReadonlyMap<string, JsonObject> {
  const byId = new Map<string, JsonObject>();
  for (const content of Array.isArray(contained) ? contained : []) {
    if (isJsonObject(content) && typeof content['id'] === 'string' && !byId.has(content['id']))
      byId.set(content['id'], content);
  }
  return byId;
}

/** A resource that another one refers to. */
interface Target {
  readonly content: JsonObject;
  readonly home: EntryScope;
}

/** The resources that one refers to by a parameter, each once. */
interface Group {
  readonly link: Link;
  readonly targets: readonly Target[];
}

type PathsOf = (type: string) => Pick<ContainedRules, 'references' | 'embedded'>;

/**
 * Finds the first resource of a Bundle by the parameters that have it as their value, and the resources that it refers to,
 * directly or by others: entries and contained ones, at most MAX_CONTAINED. First come those that the first resource refers
 * to; where these are too many, the parameters with the fewest of them, then what those refer to, so that the entries
 * of long sections do not displace the subject. Cost: one pass over the entries, and the references of these resources.
 */
export function findEntryBlocks(
  bundle: JsonObject,
  embedded: readonly ReferencePath[],
  pathsOf: PathsOf,
  typeNumber: RowSettings['typeNumber'],
): readonly EntryBlock[] {
  const blocks = new EntryBlocks(typeNumber);
  for (const { number, valuesOf } of embedded)
    blocks.add({
      link: { block: 0, parameter: number },
      targets: firstOf(bundle, valuesOf(bundle)),
    });
  const [root] = blocks.all;
  if (root === undefined) return [];
  const late: Group[] = [];
  for (const group of groupsOf(root, pathsOf)) {
    if (blocks.hasRoomFor(group)) blocks.add(group);
    else late.push(group);
  }
  blocks.follow(pathsOf);
  for (const group of late) blocks.add(group);
  blocks.follow(pathsOf);
  return blocks.all;
}

class EntryBlocks {
  readonly all: EntryBlock[] = [];
  private readonly byContent = new Map<JsonObject, EntryBlock>();
  /** Position of the first resource that was not followed; the root has been. */
  private next = 1;

  constructor(private readonly typeNumber: RowSettings['typeNumber']) {}

  hasRoomFor({ targets }: Group): boolean {
    const fresh = targets.filter(({ content }) => !this.byContent.has(content));
    return this.all.length + fresh.length <= MAX_CONTAINED;
  }

  /** Adds those that are new, as far as there is room, and the link to each. */
  add({ link, targets }: Group): void {
    for (const { content, home } of targets) {
      const { resourceType: type, id } = content;
      let found = this.byContent.get(content);
      if (found === undefined) {
        if (this.all.length >= MAX_CONTAINED) continue;
        if (typeof type !== 'string' || this.typeNumber(type) === undefined) continue;
        const block = this.all.length + 1;
        found = { type, content, block, id: typeof id === 'string' ? id : undefined, from: [], home };
        this.byContent.set(content, found);
        this.all.push(found);
      }
      const isLinked = found.from.some(
        ({ block, parameter }) => block === link.block && parameter === link.parameter,
      );
      if (!isLinked) found.from.push(link);
    }
  }

  /** Adds what the resources refer to that were added since, and what that refers to. */
  follow(pathsOf: PathsOf): void {
    for (let block = this.all[this.next]; block !== undefined; block = this.all[this.next]) {
      this.next++;
      for (const group of groupsOf(block, pathsOf)) this.add(group);
    }
  }
}

/** Returns the resources that one refers to, by parameter, those with few of them first. */
function groupsOf({ type, content, block, home }: EntryBlock, pathsOf: PathsOf): readonly Group[] {
  const { references, embedded } = pathsOf(type);
  const groups = [
    ...references.map(({ number, valuesOf }) => ({
      link: { block, parameter: number },
      targets: distinct(valuesOf(content).flatMap((value) => home.targetOf(value) ?? [])),
    })),
    ...embedded.map(({ number, valuesOf }) => ({
      link: { block, parameter: number },
      targets: firstOf(content, valuesOf(content)),
    })),
  ];
  return groups
    .filter(({ targets }) => targets.length > 0)
    .sort((one, other) => one.targets.length - other.targets.length);
}

function distinct(targets: readonly Target[]): readonly Target[] {
  return [...new Map(targets.map((target) => [target.content, target])).values()];
}

/** Returns the first resource of a Bundle if it is the value of a parameter. */
function firstOf(bundle: JsonObject, values: readonly PathValue[]): readonly Target[] {
  const { entry: items } = bundle;
  const entry = toEntry(Array.isArray(items) ? items[0] : undefined);
  if (entry === undefined || !values.some(({ value }) => value === entry.resource)) return [];
  return [{ content: entry.resource, home: new EntryScope(new EntryIndex(bundle), entry) }];
}

/** Adds the rows of these resources. One whose rows would be too many has none, because the Bundle is stored all the same. */
export function addEntryRows(
  containerType: number,
  embedded: readonly ReferencePath[],
  { container, rulesOf, rowSettings, rows }: BlockTarget,
): void {
  const { hasher, typeNumber } = rowSettings;
  for (const found of findEntryBlocks(container, embedded, rulesOf, typeNumber)) {
    const { id, type, content, block, from, home } = found;
    const add = (): void => {
      rows.base = containedBase(containerType, block);
      rulesOf(type).add(content, withAddresses(rowSettings, home));
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

/** The relative references of an entry of another server do not lead to resources of this one. */
function withAddresses(settings: RowSettings, { entries, entry: { fullUrl } }: EntryScope): RowSettings {
  return { ...settings, addressOf: (reference) => entries.addressOf(reference, fullUrl) };
}
