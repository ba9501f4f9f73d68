/** Random filters (`_filter`), with values as the data have them. */
import { makeSearchValue, storedElements } from './generate-criterion-value';
import { DATES, NUMBERS, CONCEPTS } from './generate-values';
import { leadsAnywhere, meansOneThing } from './generate-chain';
import { findParameter, parametersOf, TYPES, type Parameter } from './parameters';
import type { Criterion, QueryMaker } from './query-maker';
import type { Random } from './random';
import { referenceText, targetOf } from './reference';
import { allowedTargets, isCanonical } from './reference-search';
import { textsOfElement } from './string';
import { tokensOf } from './token';
import { textOf } from './json';

const ORDERED = ['eq', 'ne', 'gt', 'lt', 'ge', 'le', 'ap', 'sa', 'eb'];

/** A value in a filter: without quotes where that is possible. */
const written = (random: Random, value: string): string =>
  /^[^\s")\]][^\s)\]]*$/.test(value) && random.chance(0.6) ? value : JSON.stringify(value);

interface Test {
  readonly operator: string;
  readonly value: string;
}

const presence = (random: Random): Test => ({ operator: 'pr', value: random.pick(['true', 'false']) });

function textTest(maker: QueryMaker, type: string, parameter: Parameter): Test | undefined {
  const { random } = maker;
  const texts = storedElements({ ...maker, type, parameter }).flatMap((element) =>
    textsOfElement(element.type, element.value, false).map(({ text }) => text),
  );
  const plain = texts.filter((text) => text.length < 100 && !/"|\\/.test(text));
  if (plain.length === 0) return undefined;
  const text = random.pick(plain);
  const operator = random.pick(['eq', 'ne', 'co', 'sw', 'ew', 'co', 'sw', 'gt', 'le']);
  const length = 1 + random.below(text.length);
  const piece = operator === 'ew' ? text.slice(-length) : text.slice(0, length);
  const isWhole = ['eq', 'ne', 'gt', 'le'].includes(operator);
  const value = isWhole ? text : piece.trim() === '' ? text : piece.trim();
  return { operator, value: random.chance(0.3) ? value.toUpperCase() : value };
}

function tokenTest(maker: QueryMaker, type: string, parameter: Parameter): Test | undefined {
  const { random, isOn } = maker;
  const isCoded = parameter.paths.some((path) => ['Coding', 'CodeableConcept'].includes(path.type));
  if (isCoded && isOn('filter:terminology') && random.chance(0.4)) {
    const operator = random.pick(['in', 'ni', 'ss', 'sb']);
    const valueSet = `http://andiron.example/ValueSet/${random.pick(['listed', 'below-branch', 'mixed'])}`;
    const concept = `${CONCEPTS.anatomySystem}|${random.pick(CONCEPTS.anatomy)}`;
    return { operator, value: operator === 'in' || operator === 'ni' ? valueSet : concept };
  }
  const tokens = storedElements({ ...maker, type, parameter })
    .flatMap(tokensOf)
    .filter(({ code }) => /^[\w-]+$/.test(code ?? ''));
  if (tokens.length === 0) return undefined;
  const { system, code = '' } = random.pick(tokens);
  const written =
    random.chance(0.2) && parameter.paths.every(({ type }) => type === 'code') ? code.toUpperCase() : code;
  const alias = system === 'http://loinc.org' && random.chance(0.5) ? 'loinc' : system;
  const value = system !== undefined && random.chance(0.5) ? `${alias}|${written}` : written;
  return { operator: random.pick(['eq', 'eq', 'ne']), value };
}

function testOf(maker: QueryMaker, type: string, parameter: Parameter): Test | undefined {
  const { random, space, isOn } = maker;
  if (random.chance(0.12)) return presence(random);
  switch (parameter.kind) {
    case 'string':
      return isOn('filter:text') ? textTest(maker, type, parameter) : undefined;
    case 'token':
      return tokenTest(maker, type, parameter);
    case 'uri': {
      const texts = storedElements({ ...maker, type, parameter }).flatMap(({ value }) => textOf(value) ?? []);
      const safe = texts.filter((text) => text !== '');
      return safe.length === 0
        ? undefined
        : { operator: random.pick(['eq', 'ne', 'co', 'sw']), value: random.pick(safe) };
    }
    case 'date':
      return { operator: random.pick([...ORDERED, 'po', 'co']), value: random.pick(DATES) };
    case 'number':
      return { operator: random.pick(ORDERED), value: random.pick(NUMBERS) };
    case 'quantity': {
      const search = makeSearchValue({ space, random, type, parameter }, random.chance(0.5) ? 'ucum' : '');
      return { operator: random.pick(ORDERED), value: search.replace(/^[a-z]+/, '') };
    }
    case 'reference': {
      if (isCanonical(parameter)) return undefined;
      const targets = storedElements({ ...maker, type, parameter }).flatMap(
        ({ value }) => targetOf(referenceText(value) ?? '', space.root) ?? [],
      );
      if (targets.length === 0) return undefined;
      const target = random.pick(targets);
      const literal = `${target.type}/${target.id}`;
      return { operator: 're', value: random.chance(0.2) ? `${space.root}/${literal}` : literal };
    }
    default:
      return undefined;
  }
}

const usable = ({ kind, code, paths }: Parameter): boolean =>
  kind !== 'composite' &&
  kind !== 'special' &&
  !['_id', '_lastUpdated', '_profile'].includes(code) &&
  !(paths.length > 1 && paths.some(({ type }) => type === 'boolean'));

function makeTest(maker: QueryMaker, type: string, depth: number): string | undefined {
  const { random, isOn, space } = maker;
  if (type === 'Group' && isOn('filter:group') && random.chance(0.3)) return makeGroupTest(maker);
  const parameter = random.pick(parametersOf(type).filter(usable));
  const isReference = parameter.kind === 'reference' && !isCanonical(parameter);
  if (isReference && depth > 0 && isOn('filter:chain') && random.chance(0.7)) {
    const targets = allowedTargets(space, type, parameter).filter((target) => TYPES.includes(target));
    if (targets.length === 0) return undefined;
    if (!isOn('chain:any') && leadsAnywhere(space.release, type, parameter)) return undefined;
    const target = random.pick(targets);
    const next = { ...maker, focus: undefined };
    const rest = makeTest(next, target, depth - 1);
    const code = /^[\w-]+/.exec(rest ?? '')?.[0] ?? '';
    if (rest === undefined || !meansOneThing(space.release, targets, code)) return undefined;
    const filter = isOn('filter:bracket') && random.chance(0.3) ? makeTest(next, target, 0) : undefined;
    const filtered = /^[\w-]+/.exec(filter ?? '')?.[0] ?? '';
    const isShared = targets.every((one) => findParameter(one, filtered) !== undefined);
    return `${parameter.code}${filter !== undefined && isShared ? `[${filter}]` : ''}.${rest}`;
  }
  const test = testOf(maker, type, parameter);
  return test === undefined ? undefined : `${parameter.code} ${test.operator} ${written(random, test.value)}`;
}

/** Two parts of one characteristic of a group. */
function makeGroupTest(maker: QueryMaker): string | undefined {
  const parameter = findParameter('Group', 'characteristic');
  const test = parameter === undefined ? undefined : tokenTest(maker, 'Group', parameter);
  const other = parameter === undefined ? undefined : tokenTest(maker, 'Group', parameter);
  if (test === undefined || other === undefined) return undefined;
  const filter = `code ${test.operator} ${written(maker.random, test.value)}`;
  return `characteristic[${filter}].value ${other.operator} ${written(maker.random, other.value)}`;
}

function makeNode(maker: QueryMaker, type: string, depth: number): string | undefined {
  const { random } = maker;
  const shape = depth === 0 ? 0 : random.below(6);
  if (shape < 3) return makeTest(maker, type, 2);
  const one = makeNode(maker, type, depth - 1);
  if (one === undefined || shape === 3) return one === undefined ? undefined : `not (${one})`;
  const other = makeNode(maker, type, depth - 1);
  if (other === undefined) return one;
  const both = `${one} ${random.pick(['and', 'or'])} ${other}`;
  return random.chance(0.5) ? `(${both})` : both;
}

export function makeFilter(maker: QueryMaker, type: string): Criterion[] {
  const value = makeNode(maker, type, 2);
  return value === undefined ? [] : [{ name: '_filter', value }];
}
