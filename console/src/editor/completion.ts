/** Completes names, types and codes in the JSON of a record, by the definitions of the server. */
import {
  pickedCompletion,
  snippet,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { locationAt, membersOf, type Location, type Member } from './element-at';
import { cursorAt, type Cursor } from './scan';
import type { Knowledge } from './snapshots';

/** Bindings whose codes are proposed: of others any code may be right. */
const BOUND = ['required', 'extensible', 'preferred'];
const NUMBERS = ['decimal', 'integer', 'unsignedInt', 'positiveInt', 'integer64'];

const LONG = 300_000;

/** Completions in a record of a type. */
export function completeRecord(knowledge: Knowledge, type: string) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    // All of a text is read up to the cursor: of a long one only when a person asks.
    if (!context.explicit && context.state.doc.length > LONG) return null;
    const text = context.state.doc.toString();
    const cursor = cursorAt(text, context.pos);
    if (cursor === undefined) return null;
    const isWritten = cursor.to > cursor.from;
    if (!context.explicit && !isWritten) return null;
    const options = await optionsAt(knowledge, cursor, type);
    if (options.length === 0) return null;
    const isQuoted = text.charAt(cursor.from) === '"' && context.pos > cursor.from;
    return {
      // What is typed is compared with the names, and those have no quotation marks.
      from: cursor.from + (isQuoted ? 1 : 0),
      to: context.pos,
      options: options.map(toCompletion),
      validFor: /^[\w$-]*$/,
    };
  };
}

function toCompletion({ name, rest, ...option }: Option): Completion {
  return {
    ...option,
    label: String(name),
    apply: (view, completion, _from, to) => {
      const text = view.state.doc.toString();
      const whole = cursorAt(text, to) ?? { from: to, to };
      // A name whose value stands there already is completed without one.
      const isFollowed = /^\s*:/.test(text.slice(whole.to, whole.to + 100));
      const written = JSON.stringify(name);
      if (!isFollowed && rest !== '') {
        snippet(`${written}${rest}`)(view, completion, whole.from, whole.to);
        return;
      }
      view.dispatch({
        changes: { from: whole.from, to: whole.to, insert: written },
        selection: { anchor: whole.from + written.length },
        annotations: pickedCompletion.of(completion),
      });
    },
  };
}

interface Option extends Omit<Completion, 'label' | 'apply'> {
  readonly name: string | number | boolean;
  /** What follows the name, as a snippet. */
  readonly rest: string;
}

async function optionsAt(knowledge: Knowledge, cursor: Cursor, type: string): Promise<readonly Option[]> {
  const isRoot = cursor.frames.length === 1;
  if (cursor.kind === 'value' && cursor.member === 'resourceType') {
    const types = isRoot ? [type] : await knowledge.types();
    return types.map((name) => ({ name, rest: '', type: 'type' }));
  }
  const location = await locationAt(knowledge.definition, cursor.frames, type);
  if (cursor.kind === 'name') return namesAt(cursor, location, type);
  const member = memberOf(cursor, location);
  return member === undefined ? [] : valuesOf(knowledge, member, location);
}

/** The member whose value, or an item of whose values, is written. */
function memberOf({ member, frames }: Cursor, location: Location | undefined): Member | undefined {
  const inner = frames.at(-1);
  const name = member ?? (inner?.kind === 'array' && typeof inner.step === 'string' ? inner.step : undefined);
  return location && membersOf(location).find((each) => each.name === name);
}

function namesAt({ frames }: Cursor, location: Location | undefined, type: string): readonly Option[] {
  const inner = frames.at(-1);
  const written = new Set(inner?.members);
  const isResource = frames.length === 1 || isAbstract(location);
  const typeName: Option = {
    name: 'resourceType',
    rest: frames.length === 1 ? `: "${type}"` : ': "${}"',
    type: 'property',
    boost: 99,
  };
  const members = location === undefined ? [] : membersOf(location);
  return [
    ...(isResource && !written.has('resourceType') ? [typeName] : []),
    ...members
      .filter(({ name, step }) => !written.has(name) && !hasOther(members, step, written))
      .map((member, index) => ({
        name: member.name,
        rest: `: ${templateOf(member)}`,
        detail: `${member.type}${member.isArray ? ' []' : ''}`,
        info: member.short,
        type: 'property',
        boost: (member.isRequired ? 40 : 0) - Math.min(90, index) / 2,
      })),
  ];
}

/** Of a choice only one type may stand in a record. */
function hasOther(members: readonly Member[], step: string, written: ReadonlySet<string>): boolean {
  const base = step.split('.')[0] ?? step;
  if (base === step) return false;
  return members.some((other) => other.step.startsWith(`${base}.`) && written.has(other.name));
}

const isAbstract = (location: Location | undefined): boolean => location?.path === 'Resource';

function templateOf({ type, isArray, isPrimitive }: Member): string {
  const item = isPrimitive ? primitiveOf(type) : '{ ${} }';
  return isArray ? `[${item}]` : item;
}

function primitiveOf(type: string): string {
  if (type === 'boolean') return '${true}';
  return NUMBERS.includes(type) ? '${0}' : '"${}"';
}

async function valuesOf(
  knowledge: Knowledge,
  member: Member,
  location: Location | undefined,
): Promise<readonly Option[]> {
  if (member.type === 'boolean') return [true, false].map((name) => ({ name, rest: '', type: 'keyword' }));
  const { binding } = member;
  const isCode = ['code', 'Code', 'string', 'uri'].includes(member.type);
  if (binding === undefined || !isCode || !BOUND.includes(binding.strength)) return [];
  const codes = await knowledge.codes(binding.valueSet);
  if (member.name === 'system' && location?.path === 'Coding')
    return [...new Set(codes.map(({ system }) => system))].map((name) => ({
      name,
      rest: '',
      type: 'constant',
    }));
  return codes.map(({ code, display }) => ({ name: code, rest: '', detail: display, type: 'constant' }));
}
