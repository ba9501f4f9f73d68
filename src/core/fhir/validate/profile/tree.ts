/** Reads a snapshot, which is a flat list, into a tree of elements and slices. */
import { isJsonObject, type JsonObject } from '../../json';
import { shorten } from '../../json/fault';
import { objectsOf, readElement, textOf, type ProfileElement } from './element';
import { ProfileError } from './error';

/** One element of a snapshot, or one slice of an element. */
export class ElementNode {
  /** The elements directly below, without slices; a slice is in `slices` of the element that it slices. */
  readonly children: ElementNode[] = [];
  /** The slices of this element; for a slice, those that it is divided into further. */
  readonly slices: ElementNode[] = [];
  /** Last part of the path, without `[x]`. */
  readonly name: string;

  constructor(
    readonly element: ProfileElement,
    readonly tree: ProfileTree,
  ) {
    const last = element.path.slice(element.path.lastIndexOf('.') + 1);
    this.name = last.endsWith('[x]') ? last.slice(0, -3) : last;
  }
}

export interface ExtensionContext {
  /** `element`, `extension` or `fhirpath`. */
  readonly type: string;
  readonly expression: string;
}

export interface ProfileTree {
  readonly url: string;
  readonly version: string | undefined;
  /** The type that the profile is for: `Observation`, `Extension`, `Quantity`. */
  readonly type: string;
  /** The elements at which an extension may be used (StructureDefinition.context). */
  readonly contexts: readonly ExtensionContext[];
  readonly root: ElementNode;
  /** Finds an element by the path or id that a contentReference of the same definition names. */
  find(reference: string): ElementNode | undefined;
}

/** More elements than any published profile has. */
const MAX_ELEMENTS = 20_000;

/**
 * Returns the tree of a snapshot. Throws ProfileError if the StructureDefinition has no usable snapshot.
 * Cost: about 1 µs for each element.
 */
export function readTree(structureDefinition: JsonObject): ProfileTree {
  const { url, version, type, snapshot, context } = structureDefinition;
  const typeName = textOf(type);
  if (typeName === undefined) throw new ProfileError('it has no type');
  const elements = isJsonObject(snapshot) ? objectsOf(snapshot['element']) : [];
  if (elements.length > MAX_ELEMENTS)
    throw new ProfileError(
      `its snapshot has ${elements.length} elements, of which ${MAX_ELEMENTS} are allowed`,
    );
  const [first, ...others] = elements.map(readElement);
  if (first === undefined) throw new ProfileError('it has no snapshot');
  const byReference = new Map<string, ElementNode>();
  const tree: ProfileTree = {
    url: textOf(url) ?? '',
    version: textOf(version),
    type: typeName.slice(typeName.lastIndexOf('/') + 1),
    contexts: objectsOf(context).map((each) => ({
      type: textOf(each['type']) ?? '',
      expression: textOf(each['expression']) ?? '',
    })),
    get root() {
      return root;
    },
    find: (reference) => byReference.get(reference),
  };
  const root = new ElementNode(first, tree);
  const note = (node: ElementNode): void => {
    const { id, path } = node.element;
    if (id !== undefined) byReference.set(id, node);
    if (!byReference.has(path)) byReference.set(path, node);
  };
  note(root);
  // The last element at each depth.
  const open = [root];
  for (const element of others) {
    const depth = element.path.split('.').length - 1;
    const parent = open[depth - 1];
    const parentPath = element.path.slice(0, element.path.lastIndexOf('.'));
    if (depth < 1 || parent?.element.path !== parentPath)
      throw new ProfileError(
        `${shorten(element.id ?? element.path)} does not follow the element that it belongs to`,
      );
    const node = new ElementNode(element, tree);
    insert(node, parent);
    note(node);
    open.length = depth;
    open.push(node);
  }
  return tree;
}

function insert(node: ElementNode, parent: ElementNode): void {
  const { sliceName } = node.element;
  const head =
    sliceName === undefined ? undefined : parent.children.findLast((child) => child.name === node.name);
  // Some published profiles give a slice name to an element that is not sliced.
  if (sliceName === undefined || head === undefined) parent.children.push(node);
  else ownerOf(sliceName, head).slices.push(node);
}

/** `a/b` is a slice of the slice `a` (https://hl7.org/fhir/R4/profiling.html#reslicing). */
function ownerOf(sliceName: string, head: ElementNode): ElementNode {
  const slash = sliceName.lastIndexOf('/');
  if (slash < 0) return head;
  return findSlice(head, sliceName.slice(0, slash)) ?? ownerOf(sliceName.slice(0, slash), head);
}

function findSlice(owner: ElementNode, sliceName: string): ElementNode | undefined {
  for (const slice of owner.slices) {
    const found = slice.element.sliceName === sliceName ? slice : findSlice(slice, sliceName);
    if (found) return found;
  }
  return undefined;
}
