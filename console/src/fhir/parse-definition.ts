/** What a StructureDefinition says about the elements of its type. */
import { isObject, objectsOf, textOf, type JsonObject } from '../api/json';
import { humanize } from './humanize';

/** One element of a type. */
export interface ElementInfo {
  /** The name in JSON; of an element with a choice of types the name without the type. */
  readonly name: string;
  readonly label: string;
  /** What the element is for, in one sentence. */
  readonly short: string;
  readonly types: readonly string[];
  readonly isChoice: boolean;
  readonly isSummary: boolean;
  readonly isModifier: boolean;
  /** Canonical url of the value set that its codes are bound to. */
  readonly valueSet?: string;
  /** Elements inside of it that are defined in the same place. */
  readonly children: readonly ElementInfo[];
}

export interface TypeDefinition {
  readonly type: string;
  readonly title: string;
  /** In the order of the definition. */
  readonly elements: readonly ElementInfo[];
}

interface Draft {
  readonly info: Omit<ElementInfo, 'children'>;
  readonly children: ElementInfo[];
  /** Path of the element that has the same content. */
  readonly same: string | undefined;
}

const CHOICE = '[x]';

function toDraft(element: JsonObject, path: string): Draft {
  const last = path.slice(path.lastIndexOf('.') + 1);
  const name = last.replace(CHOICE, '');
  const binding = isObject(element['binding']) ? element['binding'] : {};
  const valueSet = textOf(binding['valueSet']);
  return {
    info: {
      name,
      label: textOf(element['label']) ?? humanize(name),
      short: textOf(element['short']) ?? '',
      types: objectsOf(element['type']).flatMap((type) => textOf(type['code']) ?? []),
      isChoice: last.endsWith(CHOICE),
      isSummary: element['isSummary'] === true,
      isModifier: element['isModifier'] === true,
      ...(valueSet === undefined ? {} : { valueSet }),
    },
    children: [],
    same: textOf(element['contentReference'])?.replace(/^.*#/, ''),
  };
}

/** The elements that a StructureDefinition has in its snapshot. */
export function parseDefinition(definition: JsonObject): TypeDefinition {
  const snapshot = isObject(definition['snapshot']) ? definition['snapshot'] : {};
  const drafts = new Map<string, Draft>();
  for (const element of objectsOf(snapshot['element'])) {
    const path = textOf(element['path']) ?? '';
    // Slices repeat the path of their element.
    if (!drafts.has(path)) drafts.set(path, toDraft(element, path));
  }
  const type = textOf(definition['type']) ?? '';
  const roots: ElementInfo[] = [];
  for (const [path, { info, children, same }] of drafts) {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')));
    if (parent === '') continue;
    const shared = same === undefined ? undefined : drafts.get(same);
    const element = { ...info, children: shared?.children ?? children };
    if (parent === type) roots.push(element);
    else drafts.get(parent)?.children.push(element);
  }
  const title = textOf(definition['title']) ?? textOf(definition['name']) ?? type;
  return { type, title, elements: roots };
}
