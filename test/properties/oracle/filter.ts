/** `_filter`: the matches of a filter, test by test. */
import { compileForEach, leadsTo } from './chain';
import { compositePredicate } from './composite';
import type { FilterNode, FilterStep, FilterTest } from './filter-grammar';
import { parseFilter } from './filter-grammar';
import { operatorTest } from './filter-operator';
import { isObject, textOf } from './json';
import { findParameter, TYPES, type Parameter } from './parameters';
import { BadSearch } from './refusal';
import { allowedTargets } from './reference-search';
import { alone, type Predicate, type Space } from './space';
import { elementsOf, followPath } from './values';

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

/** Elements that may be named with a filter and a name under it: their types, and the parameters of their parts. */
const GROUPS: Readonly<Record<string, { element: string; parts: Readonly<Record<string, string>> }>> = {
  'Group.characteristic': { element: 'characteristic', parts: { value: 'value', code: 'characteristic' } },
};

/** Returns the test whose opposite, on all values together, a negative test is; undefined for others. */
function oppositeOf(test: FilterTest): FilterTest | undefined {
  if (test.operator === 'ni') return { ...test, operator: 'in' };
  return test.operator === 'pr' && test.value === 'false' ? { ...test, value: 'true' } : undefined;
}

function compileTest(space: Space, type: string, test: FilterTest): Predicate {
  const opposite = oppositeOf(test);
  if (opposite !== undefined) {
    const meets = compileTest(space, type, opposite);
    return (item) => !meets(item);
  }
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
  if (parameter.kind === 'composite') {
    if (operator !== 'eq') throw new BadSearch(`_filter: ${operator} is not for composites`);
    return compositePredicate(space, type, parameter, '', value);
  }
  const meets = operatorTest(space, parameter, operator, value);
  return ({ resource }) => meets(elementsOf(resource, parameter));
}

/** A link leads to every type that has the rest. Its target must meet its filter too. */
function compileChain(space: Space, type: string, step: FilterStep, inner: FilterTest): Predicate {
  const parameter = parameterOf(type, step.name);
  if (parameter.kind !== 'reference') throw new BadSearch(`_filter: ${step.name} is no reference`);
  const { filter } = step;
  const next = inner.path[0]?.name ?? '';
  const targets = allowedTargets(space, type, parameter).filter(
    (target) =>
      TYPES.includes(target) &&
      (step.type === undefined || step.type === target) &&
      findParameter(target, next) !== undefined,
  );
  if (targets.length === 0) throw new BadSearch(`_filter: ${step.name} leads to nothing with ${next}`);
  const predicates = compileForEach(targets, (target) => ({
    isKept: filter === undefined ? () => true : compileNode(space, target, filter),
    meets: compileTest(space, target, inner),
  }));
  return (item) =>
    leadsTo(space, parameter, item, (reached) => {
      const found = predicates.get(textOf(reached.resource['resourceType']) ?? '');
      return found?.isKept(reached) === true && found.meets(reached);
    });
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
    return { ...node, path: [{ name, type: undefined, filter: undefined }] };
  };
  const isMatch = filter === undefined ? () => true : compileNode(space, type, rename(filter));
  const meets = compileNode(space, type, rename(inner));
  return ({ resource }) =>
    followPath(resource, element)
      .filter(isObject)
      .map((one) => alone({ ...resource, [element]: [one] }))
      .some((item) => isMatch(item) && meets(item));
}
