/**
 * Index rows of contained resources, by which chains find the container.
 * Source: https://hl7.org/fhir/R4/search.html#contained; docs/use/search-reference.md, Reference.
 */
import type { JsonObject } from '../../fhir/json';
import { containedBase, MAX_CONTAINED, ROW_SCHEME } from './index-rows';
import type { ParameterPath } from '../parameters/parameter-path';
import { keyOf } from './resource-key';
import type { RowCollector, RowSettings } from './collector';
import { containedIdOf, findContained, type ContainedResource } from './reference';

/** A reference parameter that has rows under its own number. */
export interface ReferencePath {
  readonly number: number;
  readonly valuesOf: ParameterPath;
}

/** Makes the rows of a type. */
export interface ContainedRules {
  readonly references: readonly ReferencePath[];
  /** Paths of parameters whose values are resources inside: the first resource of a Bundle. */
  readonly embedded: readonly ReferencePath[];
  /** `settings`: those of the resource if they differ from those of the whole. */
  add(content: JsonObject, settings?: RowSettings): void;
}

/** A reference to a contained resource, by the number of its parameter. */
interface ContainedLink {
  readonly parameter: number;
  readonly type: number;
  readonly block: number;
}

/** A resource inside another one that has rows. */
export interface FoundBlock extends ContainedResource {
  /** Undefined only for an entry of a Bundle. */
  readonly id: string | undefined;
  /** From 1, in the order in which the container refers to them. */
  readonly block: number;
}

interface ContainedBlock extends FoundBlock {
  readonly id: string;
  readonly links: readonly ContainedLink[];
}

/**
 * Finds the contained resources that the container refers to, and those that they refer to: the first MAX_CONTAINED.
 * `links`: of the container itself.
 */
export function findBlocks(
  container: JsonObject,
  references: readonly ReferencePath[],
  referencesOf: (type: string) => readonly ReferencePath[],
  typeNumber: RowSettings['typeNumber'],
): { readonly links: readonly ContainedLink[]; readonly blocks: readonly ContainedBlock[] } {
  const found = new Map<string, ContainedResource & { readonly block: number }>();
  const linksOf = (root: JsonObject, paths: readonly ReferencePath[]): ContainedLink[] => {
    const links: ContainedLink[] = [];
    for (const { number, valuesOf } of paths) {
      for (const value of valuesOf(root)) {
        const id = containedIdOf(value);
        const target = id === undefined ? undefined : findContained(container, id);
        const type = target && typeNumber(target.type);
        if (id === undefined || target === undefined || type === undefined) continue;
        const block = found.get(id)?.block ?? found.size + 1;
        if (block > MAX_CONTAINED) continue;
        found.set(id, { type: target.type, content: target.content, block });
        links.push({ parameter: number, type, block });
      }
    }
    return links;
  };
  const links = linksOf(container, references);
  const blocks: ContainedBlock[] = [];
  // The loop also visits resources that it adds.
  for (const [id, resource] of found) {
    const { type, content, block } = resource;
    blocks.push({ type, content, block, id, links: linksOf(content, referencesOf(type)) });
  }
  return { links, blocks };
}

/** A resource with others inside, the rules for their rows, and where the rows go. */
export interface BlockTarget {
  readonly container: JsonObject;
  readonly rulesOf: (type: string) => ContainedRules;
  readonly rowSettings: RowSettings;
  readonly rows: RowCollector;
}

/**
 * Adds the rows of the contained resources that the container refers to by `references`, and of those that they refer
 * to. Each has its own block, so that a chain tests the values of one of them only.
 */
export function addContainedRows(
  containerType: number,
  references: readonly ReferencePath[],
  { container, rulesOf, rowSettings: { hasher, typeNumber }, rows }: BlockTarget,
): void {
  const { links, blocks } = findBlocks(container, references, (type) => rulesOf(type).references, typeNumber);
  for (const link of links) markLink(link, rows);
  for (const { type, block } of blocks)
    rows.token(containedBase(containerType, 0), typeNumber(type) ?? 0, block, 0);
  for (const { id, type, content, block, links: inner } of blocks) {
    rows.base = containedBase(containerType, block);
    rulesOf(type).add(content);
    const { high, low } = keyOf(hasher, type, id);
    rows.token(ROW_SCHEME.containedId, high, low, 0);
    for (const link of inner) markLink(link, rows);
  }
  rows.base = 0;
}

/** Adds the rows by which a chain finds the blocks that a reference leads to. */
export function markLink({ parameter, type, block }: ContainedLink, rows: RowCollector): void {
  rows.token(parameter + ROW_SCHEME.contained, 0, type, block);
  rows.token(parameter + ROW_SCHEME.contained, type, block, 0);
}
