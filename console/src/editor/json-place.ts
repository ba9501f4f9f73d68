/** Finds the place in a text of JSON that a FHIRPath of the server means, such as `Observation.value.ofType(Quantity).code`. */
import { jsonLanguage } from '@codemirror/lang-json';
import { choiceName } from '../../../packages/fhir-values/choice-name';

export interface Place {
  readonly from: number;
  readonly to: number;
}

type Node = ReturnType<typeof jsonLanguage.parser.parse>['topNode'];

const STEP = /^([A-Za-z_][A-Za-z0-9_]*)((?:\.ofType\([A-Za-z0-9.]+\))?)((?:\[\d+\])*)(?:\.|$)/;

interface Step {
  /** Names that the member may have in JSON, the likeliest first. */
  readonly names: readonly string[];
  readonly indexes: readonly number[];
}

/** The steps below the root of an expression; as far as they are those of a place. */
export function stepsOf(expression: string): readonly Step[] {
  const steps: Step[] = [];
  let rest = expression;
  for (let match = STEP.exec(rest); match !== null; match = STEP.exec(rest)) {
    const [whole, name = '', ofType = '', indexes = ''] = match;
    const type = /\(([A-Za-z0-9]+)\)/.exec(ofType)?.[1];
    const choice = type === undefined ? [] : [choiceName(name, type)];
    steps.push({
      names: [...choice, name],
      indexes: [...indexes.matchAll(/\d+/g)].map(([index]) => Number(index)),
    });
    rest = rest.slice(whole.length);
    if (rest === '') break;
  }
  return steps.slice(1);
}

/** Finds the place of each of several expressions in one text. */
export function placesIn(text: string): (expression: string) => Place {
  const root = jsonLanguage.parser.parse(text).topNode.firstChild;
  return (expression) => placeBelow(root, text, expression);
}

/**
 * The range of the name of the member, or of the item of an array; where there is no such element, of the nearest
 * element around it.
 */
function placeBelow(root: Node | null, text: string, expression: string): Place {
  let node = root;
  let place: Place = { from: 0, to: Math.min(1, text.length) };
  for (const { names, indexes } of stepsOf(expression)) {
    const found = node === null ? undefined : memberOf(node, names, text);
    if (found === undefined) return place;
    place = found.place;
    node = found.value;
    for (const index of indexes) {
      const item = node?.name === 'Array' ? itemsOf(node)[index] : undefined;
      if (item === undefined) break;
      node = item;
      place = placeOfItem(item);
    }
  }
  return place;
}

/** The place that an error of the parser of the server names: `line 2, column 3`. */
export function placeOfWords(text: string, words: string): Place | undefined {
  const [, line, column] = /\bline (\d+), column (\d+)/.exec(words) ?? [];
  if (line === undefined || column === undefined) return undefined;
  const before = text.split('\n').slice(0, Number(line) - 1);
  const start = before.reduce((length, each) => length + each.length + 1, 0);
  const from = Math.min(text.length, start + Number(column) - 1);
  return { from, to: Math.min(text.length, from + 1) };
}

/** An object is marked by its brace: a mark over all of its lines would show nothing. */
function placeOfItem(item: Node): Place {
  const isContainer = item.name === 'Object' || item.name === 'Array';
  return { from: item.from, to: isContainer ? item.from + 1 : item.to };
}

/** What stands in a node between its marks: the items of an array, the name and value of a member. */
function itemsOf(node: Node): readonly Node[] {
  const items: Node[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (/^[A-Z]/.test(child.name)) items.push(child);
  return items;
}

/** The member with one of these names. `status.id` of a primitive is in its second member, `_status`. */
function memberOf(
  node: Node,
  names: readonly string[],
  text: string,
): { readonly place: Place; readonly value: Node | null } | undefined {
  const owner = node.name === 'Object' ? node : secondOf(node, text);
  if (owner === undefined) return undefined;
  for (const name of [...names, ...names.map((each) => `_${each}`)]) {
    for (const property of owner.getChildren('Property')) {
      const written = property.getChild('PropertyName');
      if (written === null || text.slice(written.from, written.to) !== `"${name}"`) continue;
      const [, value = null] = itemsOf(property);
      return { place: { from: written.from, to: written.to }, value };
    }
  }
  return undefined;
}

/** The object of `_status` beside the value of `status`. */
function secondOf(node: Node, text: string): Node | undefined {
  const property = node.parent;
  const written = property?.name === 'Property' ? property.getChild('PropertyName') : null;
  const around = property?.parent;
  if (written === null || around === null || around === undefined) return undefined;
  const name = `"_${text.slice(written.from + 1, written.to)}`;
  for (const each of around.getChildren('Property')) {
    const other = each.getChild('PropertyName');
    if (other !== null && text.slice(other.from, other.to) === name)
      return each.getChild('Object') ?? undefined;
  }
  return undefined;
}
