/** Finds the place in a text of JSON that a FHIRPath of the server means, such as `Observation.value.ofType(Quantity).code`. */
import { jsonLanguage } from '@codemirror/lang-json';
import { isLong } from '../api/json';
import { inSlices } from '../api/slices';
import { memberIn, treeSteps, type JsonNode } from './json-tree';
import { choiceName } from '../../../packages/fhir-values/choice-name';

export interface Place {
  readonly from: number;
  readonly to: number;
}

type Parsed = ReturnType<typeof jsonLanguage.parser.parse>['topNode'];

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

/** Finds the place of each of several expressions in one text. A long text that is no JSON has no places. */
export async function placesIn(text: string): Promise<(expression: string) => Place> {
  const root = isLong(text) ? await readLong(text) : readShort(text);
  return (expression) => placeBelow(root, text, expression);
}

async function readLong(text: string): Promise<JsonNode | undefined> {
  try {
    return await inSlices(treeSteps(text));
  } catch {
    return undefined;
  }
}

/** Also the tree of a text that is not complete. */
function readShort(text: string): JsonNode | undefined {
  const value = jsonLanguage.parser.parse(text).topNode.firstChild;
  return value === null ? undefined : toTree(value, text);
}

/** What stands in a node between its marks: the items of an array, the name and value of a member. */
function partsOf(node: Parsed): readonly Parsed[] {
  const parts: Parsed[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (/^[A-Z]/.test(child.name)) parts.push(child);
  return parts;
}

function toTree(node: Parsed, text: string): JsonNode {
  const { from, to, name } = node;
  if (name === 'Array') return { from, to, items: partsOf(node).map((item) => toTree(item, text)) };
  if (name !== 'Object') return { from, to };
  const members = node.getChildren('Property').flatMap((property) => {
    const [written, value] = partsOf(property);
    if (written === undefined) return [];
    return {
      name: text.slice(written.from + 1, written.to - 1),
      from: written.from,
      to: written.to,
      value: value === undefined ? undefined : toTree(value, text),
    };
  });
  return { from, to, members };
}

/**
 * The range of the name of the member, or of the item of an array; where there is no such element, of the nearest
 * element around it.
 */
function placeBelow(root: JsonNode | undefined, text: string, expression: string): Place {
  let node = root;
  let second: JsonNode | undefined;
  let place: Place = { from: 0, to: Math.min(1, text.length) };
  for (const { names, indexes } of stepsOf(expression)) {
    // `status.id` of a primitive is in its second member, `_status`.
    const owner: JsonNode | undefined = node?.members === undefined ? second : node;
    const found = [...names, ...names.map((name) => `_${name}`)]
      .map((name) => memberIn(owner, name))
      .find((member) => member !== undefined);
    if (found === undefined) return place;
    place = { from: found.from, to: found.to };
    node = found.value;
    second = memberIn(owner, `_${found.name}`)?.value;
    for (const index of indexes) {
      const item: JsonNode | undefined = node?.items?.[index];
      if (item === undefined) break;
      node = item;
      second = second?.items?.[index];
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
function placeOfItem({ from, to, members, items }: JsonNode): Place {
  const isContainer = members !== undefined || items !== undefined;
  return { from, to: isContainer ? from + 1 : to };
}
