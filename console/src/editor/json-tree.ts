/** The tree of a text of JSON with the places of all values and names, so that one value can be changed and nothing else. */
import { readSteps, type Maker } from '../api/json-reader';
import { finish, type Steps } from '../api/slices';

export interface JsonNode {
  /** Offset of the first character, and of the one behind the last. */
  readonly from: number;
  readonly to: number;
  /** Of an object. */
  readonly members?: readonly TreeMember[];
  /** Of an array. */
  readonly items?: readonly JsonNode[];
}

export interface TreeMember {
  readonly name: string;
  /** The place of the name with its quotation marks. */
  readonly from: number;
  readonly to: number;
  /** Undefined: the text ends before it. */
  readonly value: JsonNode | undefined;
}

const NODES: Maker<JsonNode> = {
  primitive: (_, from, to) => ({ from, to }),
  array: (items, from, to) => ({ from, to, items }),
  object: (members, from, to) => ({ from, to, members }),
};

/** Reads the tree step by step. Throws `SyntaxError`. */
export function treeSteps(text: string): Steps<JsonNode> {
  return readSteps(text, NODES);
}

/** Throws `SyntaxError`. */
export function readTree(text: string): JsonNode {
  return finish(treeSteps(text));
}

export function memberIn(node: JsonNode | undefined, name: string): TreeMember | undefined {
  return node?.members?.find((member) => member.name === name);
}
