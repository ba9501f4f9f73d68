/** The members of a FHIR object in the order of the definition, each with what the definition says about it. */
import { isArray, isObject, type JsonObject, type JsonValue } from '../api/json';
import type { ElementInfo } from './definitions';
import { guessType } from './format';
import { humanize } from './humanize';
import { choiceSuffix } from '../../../packages/fhir-values/choice-name';

/** One value of a member, with its id and extensions where it is a primitive value. */
export interface MemberItem {
  readonly value: JsonValue | undefined;
  /** What stands under the same name after `_`. */
  readonly more: JsonObject | undefined;
}

export interface Member {
  /** As in the JSON, without `_`. */
  readonly name: string;
  readonly label: string;
  readonly short: string;
  /** Undefined: the definition is not known and nothing tells. */
  readonly type: string | undefined;
  readonly isList: boolean;
  readonly items: readonly MemberItem[];
  /** Undefined: the definition does not have it, or is not known. */
  readonly element: ElementInfo | undefined;
}

interface Named {
  readonly element: ElementInfo;
  readonly type: string | undefined;
}

/** The element that has a member of this name; of a choice also the type that the name ends with. */
function findElement(name: string, elements: readonly ElementInfo[]): Named | undefined {
  const plain = elements.find((element) => !element.isChoice && element.name === name);
  if (plain !== undefined) return { element: plain, type: plain.types[0] };
  for (const element of elements) {
    if (!element.isChoice || !name.startsWith(element.name)) continue;
    const end = name.slice(element.name.length);
    const type = element.types.find((each) => choiceSuffix(each) === end);
    if (type !== undefined) return { element, type };
  }
  return undefined;
}

function itemsOf(value: JsonValue | undefined, more: JsonValue | undefined): readonly MemberItem[] {
  const values = isArray(value) ? value : value === undefined ? [] : [value];
  const mores = isArray(more) ? more : more === undefined ? [] : [more];
  const length = Math.max(values.length, mores.length);
  return Array.from({ length }, (_, index) => {
    const extra = mores[index];
    return { value: values[index] ?? undefined, more: isObject(extra) ? extra : undefined };
  });
}

/** The type that a value without a definition looks like. */
function looksLike(name: string, value: JsonValue | undefined): string | undefined {
  if (name === 'extension' || name === 'modifierExtension') return 'Extension';
  if (name === 'contained') return 'Resource';
  const [first] = isArray(value) ? value : [value];
  if (!isObject(first)) return undefined;
  if (first['resourceType'] !== undefined) return 'Resource';
  return first['div'] === undefined ? guessType(first) : 'Narrative';
}

/**
 * All members of an object, those that the definition does not have at the end. `elements`: those of the definition;
 * none where it is not known.
 */
export function membersOf(
  object: JsonObject,
  elements: readonly ElementInfo[],
  without: ReadonlySet<string> = NOTHING,
): readonly Member[] {
  const names = new Set(Object.keys(object).map((name) => name.replace(/^_/, '')));
  const members = [...names]
    .filter((name) => !without.has(name))
    .map((name) => {
      const [value, more] = [object[name], object[`_${name}`]];
      const found = findElement(name, elements);
      const order = found === undefined ? elements.length : elements.indexOf(found.element);
      const member: Member = {
        name,
        label: found?.element.label ?? humanize(name),
        short: found?.element.short ?? '',
        type: found?.type ?? looksLike(name, value),
        isList: isArray(value) || isArray(more),
        items: itemsOf(value, more),
        element: found?.element,
      };
      return { order, member };
    });
  return members.toSorted((one, other) => one.order - other.order).map(({ member }) => member);
}

const NOTHING: ReadonlySet<string> = new Set();
