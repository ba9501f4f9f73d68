/** `_filter`: what a filter finds, test by test. */
import type { FilterNode, FilterStep, FilterTest } from './filter-grammar';
import { parseFilter } from './filter-grammar';
import { operatorTest } from './filter-operator';
import { isObject, textOf } from './json';
import { findParameter, TYPES, type Parameter } from './parameters';
import { BadSearch, Unclear } from './refusal';
import { allowedTargets, resourcesAt } from './reference-search';
import { alone, type Item, type Predicate, type Space } from './space';
import { elementsOf, walk } from './values';

/** @throws BadSearch */
export const filterPredicate = (space: Space, type: string, text: string): Predicate =>
  compileNode(space, type, parseFilter(text));

function compileNode(space: Space, type: string, node: FilterNode): Predicate {
  if (node.kind === 'test') return compileTest(space, type, node);
  const one = compileNode(space, type, node.one);
  if (node.kind === 'not') return (item) => !one(item);
  const other = compileNode(space, type, node.other);
  return node.kind === 'and' ? (item) => one(item) && other(item) : (item) => one(item) || other(item);
}

/** Elements that may be named with a filter and a name under it: what they are, and the parameters of their parts. */
const GROUPS: Readonly<Record<string, { element: string; parts: Readonly<Record<string, string>> }>> = {
  'Group.characteristic': { element: 'characteristic', parts: { value: 'value', code: 'characteristic' } },
};

function compileTest(space: Space, type: string, test: FilterTest): Predicate {
  const [step, ...further] = test.path;
  if (step === undefined) throw new BadSearch('_filter: no parameter');
  if (further.length === 0) {
    if (step.filter !== undefined) throw new BadSearch(`_filter: ${step.name}[…] needs a name behind it`);
    return compileLast(space, type, step.name, test);
  }
  const inner: FilterTest = { ...test, path: further };
  const group = GROUPS[`${type}.${step.name}`];
  if (group !== undefined) return compileGroup(space, type, group, step, inner);
  return compileChain(space, type, step, inner);
}

const parameterOf = (type: string, name: string): Parameter => {
  const parameter = findParameter(type, name);
  if (parameter === undefined) throw new BadSearch(`_filter: ${type} has no parameter ${name}`);
  return parameter;
};

function compileLast(space: Space, type: string, name: string, { operator, value }: FilterTest): Predicate {
  const parameter = parameterOf(type, name);
  const meets = operatorTest(space, parameter, operator, value);
  return ({ resource }) => meets(elementsOf(resource, parameter));
}

/** The set is what all that a reference leads to has together: with one that says no, others may still say yes. */
function compileChain(space: Space, type: string, step: FilterStep, inner: FilterTest): Predicate {
  const parameter = parameterOf(type, step.name);
  if (parameter.kind !== 'reference') throw new BadSearch(`_filter: ${step.name} is no reference`);
  const { filter } = step;
  const next = inner.path[0]?.name ?? '';
  const targets = allowedTargets(space, type, parameter).filter(
    (target) => TYPES.includes(target) && findParameter(target, next) !== undefined,
  );
  if (targets.length === 0) throw new BadSearch(`_filter: ${step.name} leads to nothing with ${next}`);
  const predicates = new Map(
    targets.map((target) => [
      target,
      {
        isKept: filter === undefined ? () => true : compileNode(space, target, filter),
        meets: compileTest(space, target, inner),
      },
    ]),
  );
  const isNegative = inner.operator === 'ni' || (inner.operator === 'pr' && inner.value === 'false');
  return ({ resource, container }) => {
    const reached = elementsOf(resource, parameter)
      .flatMap(({ value }) => resourcesAt(space, parameter, value, container))
      .flatMap((item): { item: Item; meets: Predicate }[] => {
        const found = predicates.get(textOf(item.resource['resourceType']) ?? '');
        return found?.isKept(item) === true ? [{ item, meets: found.meets }] : [];
      });
    const answers = reached.map(({ item, meets }) => meets(item));
    // Of none there is none in a value set; whether that counts where nothing is reached, the page does not say.
    if (isNegative && answers.some((answer) => !answer) !== answers.every((answer) => !answer))
      throw new Unclear('none of several sets');
    if (isNegative && answers.length === 0) throw new Unclear('nothing is reached');
    return answers.some((answer) => answer);
  };
}

/** Both the filter and the test are of one element, such as one characteristic of a group. */
function compileGroup(
  space: Space,
  type: string,
  { element, parts }: { element: string; parts: Readonly<Record<string, string>> },
  { filter }: FilterStep,
  inner: FilterTest,
): Predicate {
  const rename = (node: FilterNode): FilterNode => {
    if (node.kind !== 'test')
      return node.kind === 'not'
        ? { kind: 'not', one: rename(node.one) }
        : { kind: node.kind, one: rename(node.one), other: rename(node.other) };
    const name = parts[node.path[0]?.name ?? ''];
    if (name === undefined || node.path.length !== 1)
      throw new BadSearch(`_filter: not a part of ${element}`);
    return { ...node, path: [{ name, filter: undefined }] };
  };
  const isKept = filter === undefined ? () => true : compileNode(space, type, rename(filter));
  const meets = compileNode(space, type, rename(inner));
  return ({ resource }) =>
    walk(resource, element)
      .filter(isObject)
      .map((one) => alone({ ...resource, [element]: [one] }))
      .some((item) => isKept(item) && meets(item));
}
