/** Reads JSON as far as it goes: where the cursor stands in a text that a person is still writing. */

/** An object or array around the cursor. */
export interface Frame {
  readonly kind: 'object' | 'array';
  /** How the container around it leads to it; undefined: it is the outermost. */
  readonly step: string | number | undefined;
  /** Names of members, also of those after the cursor. */
  readonly members: string[];
  /** The member `resourceType`, also when it comes later. */
  resourceType: string | undefined;
}

/** What a person writes at the cursor. */
export interface Cursor {
  readonly kind: 'name' | 'value';
  /** Where the name or value begins, with its quotation mark. */
  readonly from: number;
  /** Where it ends; the cursor, if nothing has been written. */
  readonly to: number;
  /** The member whose value it is; undefined for a name and for an item of an array. */
  readonly member: string | undefined;
  /** From the outside to the inside. */
  readonly frames: readonly Frame[];
}

/** A frame while it is read. */
interface Open {
  readonly frame: Frame;
  member: string | undefined;
  expects: 'name' | 'colon' | 'value' | 'comma';
  index: number;
}

const TOKEN = /"(?:[^"\\\n]|\\.)*"?|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/** Where a cursor stands; undefined outside of the outermost container, or where only a mark such as a comma can stand. */
export function cursorAt(text: string, position: number): Cursor | undefined {
  const stack: Open[] = [];
  let found: Cursor | undefined;
  let isPassed = false;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [token] = match;
    const [from, to] = [match.index, match.index + token.length];
    if (!isPassed && from >= position) {
      isPassed = true;
      found ??= cursorBetween(stack, position);
    }
    // After the end of what surrounds the cursor nothing matters.
    if (isPassed && (found === undefined || stack.length < found.frames.length)) break;
    const isMark = token.length === 1 && '{}[]:,'.includes(token);
    if (!isPassed && !isMark && position > from && position <= to && isOpenAt(token, to, position))
      found ??= cursorIn(stack, from, to);
    read(stack, token);
  }
  return found ?? (isPassed ? undefined : cursorBetween(stack, position));
}

/** Behind its last quotation mark a text is complete. */
function isOpenAt(token: string, to: number, position: number): boolean {
  return position < to || !token.startsWith('"') || token.length === 1 || !token.endsWith('"');
}

function cursorBetween(stack: readonly Open[], position: number): Cursor | undefined {
  return cursorIn(stack, position, position);
}

function cursorIn(stack: readonly Open[], from: number, to: number): Cursor | undefined {
  const open = stack.at(-1);
  if (open === undefined || open.expects === 'colon' || open.expects === 'comma') return undefined;
  return {
    kind: open.expects,
    from,
    to,
    member: open.expects === 'value' ? open.member : undefined,
    frames: stack.map(({ frame }) => frame),
  };
}

function read(stack: Open[], token: string): void {
  const open = stack.at(-1);
  if (token === '{' || token === '[') {
    const kind = token === '{' ? 'object' : 'array';
    const step = open === undefined ? undefined : open.frame.kind === 'array' ? open.index : open.member;
    if (open !== undefined) open.expects = 'comma';
    const frame: Frame = { kind, step, members: [], resourceType: undefined };
    stack.push({ frame, member: undefined, expects: kind === 'object' ? 'name' : 'value', index: 0 });
    return;
  }
  if (token === '}' || token === ']') {
    stack.pop();
    return;
  }
  if (open === undefined) return;
  if (token === ',') {
    open.index++;
    open.expects = open.frame.kind === 'object' ? 'name' : 'value';
  } else if (token === ':') {
    open.expects = 'value';
  } else if (open.expects === 'name') {
    open.member = token.replace(/^"|"$/g, '');
    open.frame.members.push(open.member);
    open.expects = 'colon';
  } else {
    if (open.expects === 'value' && open.frame.kind === 'object' && open.member === 'resourceType')
      open.frame.resourceType = token.replace(/^"|"$/g, '');
    open.expects = 'comma';
  }
}
