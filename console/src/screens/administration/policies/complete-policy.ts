/** Completes the JSON of a policy: members, types, interactions, search parameters and elements, by the definitions of the server. */
import { pickedCompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { objectsOf, textOf, type JsonObject } from '../../../api/json';
import { cursorAt, type Cursor } from '../../../editor/scan';

/** What the editor asks the server for. */
export interface PolicyKnowledge {
  readonly types: () => Promise<readonly string[]>;
  /** Codes of the search parameters of a type. */
  readonly parameters: (type: string) => Promise<readonly string[]>;
  readonly definition: (type: string) => Promise<JsonObject | undefined>;
}

interface Option {
  readonly name: string;
  readonly detail?: string;
  /** True: the text goes on, as `Patient.` does, so that the cursor stays in it. */
  readonly isOpen?: boolean;
}

const MEMBERS: Readonly<Record<string, string>> = {
  rules: ': [{ "types": [], "interactions": "rs" }]',
  operations: ': []',
  hidden: ': []',
  readOnly: ': []',
};
const RULE_MEMBERS: Readonly<Record<string, string>> = {
  types: ': []',
  interactions: ': "rs"',
  criteria: ': []',
};
const INTERACTIONS = ['r', 'rs', 'crus', 'cruds', 'cu', 'cud'];
const ELEMENTS = ['hidden', 'readOnly'];
const EVERY_TYPE = '*';

export function completePolicy(knowledge: PolicyKnowledge) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const text = context.state.doc.toString();
    const cursor = cursorAt(text, context.pos);
    if (cursor === undefined || (!context.explicit && cursor.to === cursor.from)) return null;
    const options = await policyOptions(knowledge, text, cursor);
    if (options.length === 0) return null;
    const isQuoted = text.charAt(cursor.from) === '"' && context.pos > cursor.from;
    return {
      from: cursor.from + (isQuoted ? 1 : 0),
      to: context.pos,
      options: options.map(({ name, detail, isOpen = false }) => ({
        label: name,
        ...(detail === undefined ? {} : { detail }),
        apply: (view, completion, _from, to) => {
          const whole = cursorAt(view.state.doc.toString(), to) ?? { from: to, to };
          const rest =
            cursor.kind === 'name' && !isFollowed(view.state.doc.toString(), whole.to)
              ? restOf(cursor, name)
              : '';
          const insert = JSON.stringify(name) + rest;
          const end = JSON.stringify(name).length - (isOpen ? 1 : 0);
          view.dispatch({
            changes: { from: whole.from, to: whole.to, insert },
            selection: { anchor: whole.from + end },
            annotations: pickedCompletion.of(completion),
          });
        },
      })),
    };
  };
}

const isFollowed = (text: string, at: number): boolean => /^\s*:/.test(text.slice(at, at + 100));

function membersAt({ frames }: Cursor): Readonly<Record<string, string>> {
  if (frames.length === 1) return MEMBERS;
  return frames.length === 3 && frames[1]?.step === 'rules' ? RULE_MEMBERS : {};
}

function restOf(cursor: Cursor, name: string): string {
  return membersAt(cursor)[name] ?? '';
}

/** What may stand at a cursor in the text of a policy. */
export async function policyOptions(
  knowledge: PolicyKnowledge,
  text: string,
  cursor: Cursor,
): Promise<readonly Option[]> {
  const inner = cursor.frames.at(-1);
  if (cursor.kind === 'name') {
    const written = new Set(inner?.members);
    return Object.keys(membersAt(cursor)).flatMap((name) => (written.has(name) ? [] : [{ name }]));
  }
  if (cursor.member === 'interactions') return INTERACTIONS.map((name) => ({ name }));
  const list = inner?.kind === 'array' && typeof inner.step === 'string' ? inner.step : '';
  if (list === 'types') return [EVERY_TYPE, ...(await knowledge.types())].map((name) => ({ name }));
  const typed = text.slice(cursor.from, cursor.to).replace(/^"|"$/g, '');
  if (ELEMENTS.includes(list)) return elementsFor(knowledge, typed);
  return list === 'criteria' ? criteriaFor(knowledge, typed, typesAround(text, cursor.from)) : [];
}

/** Types first, and then the elements below what is typed. */
async function elementsFor(knowledge: PolicyKnowledge, typed: string): Promise<readonly Option[]> {
  const [type = '', ...names] = typed.split('.');
  if (names.length === 0)
    return (await knowledge.types()).map((name) => ({ name: `${name}.`, isOpen: true }));
  const above = [type, ...names.slice(0, -1)].join('.');
  const snapshot = (await knowledge.definition(type))?.['snapshot'];
  const [{ element = null } = {}] = objectsOf([snapshot ?? null]);
  return objectsOf(element).flatMap((each): Option[] => {
    const path = textOf(each['path']) ?? '';
    const isBelow = path.startsWith(`${above}.`) && !path.slice(above.length + 1).includes('.');
    return isBelow && !ALWAYS.includes(path.slice(type.length + 1))
      ? [{ name: path, detail: textOf(each['short']) ?? '' }]
      : [];
  });
}

/** Elements that no policy hides. */
const ALWAYS = ['id', 'meta', 'implicitRules'];

/** Search parameters that all types of the rule have; after `&` the next one. */
async function criteriaFor(
  knowledge: PolicyKnowledge,
  typed: string,
  types: readonly string[],
): Promise<readonly Option[]> {
  const known = types.filter((type) => type !== EVERY_TYPE);
  const lists = await Promise.all(known.map((type) => knowledge.parameters(type)));
  const [first = [], ...others] = lists;
  const before = typed.slice(0, typed.lastIndexOf('&') + 1);
  return first
    .filter((code) => others.every((list) => list.includes(code)))
    .map((code) => ({ name: `${before}${code}=`, isOpen: true }));
}

/** The types of the rule around a place, also while it is not whole. */
export function typesAround(text: string, at: number): readonly string[] {
  let depth = 0;
  let start = at;
  while (start > 0) {
    start -= 1;
    if (text[start] === '}') depth += 1;
    else if (text[start] === '{' && depth-- === 0) break;
  }
  const end = text.indexOf('}', at);
  const rule = text.slice(start, end === -1 ? text.length : end);
  const [, list = ''] = /"types"\s*:\s*\[([^\]]*)/.exec(rule) ?? [];
  return [...list.matchAll(/"([^"]*)"/g)].map(([, type = '']) => type);
}
