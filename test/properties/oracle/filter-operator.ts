/** The operators of `_filter` on the set of values of one parameter. */
import { meetsDate, rangesOfElement, readDate, type DateRange } from './date';
import { textOf } from './json';
import { intervalsOf, meetsNumberSearch, readNumber } from './number';
import type { Parameter } from './parameters';
import { meetsQuantity, quantitiesOf, readQuantity } from './quantity';
import { referenceText, targetOf } from './reference';
import { BadSearch, Unclear } from './refusal';
import type { Space } from './space';
import { folded, textsOfElement } from './string';
import { meetsToken, readToken, tokensOf, type Token } from './token';
import { UCUM } from './units';
import type { Element } from './values';

export type SetTest = (elements: readonly Element[]) => boolean;

const PREFIXES = ['eq', 'ne', 'gt', 'lt', 'ge', 'le', 'sa', 'eb', 'ap'];
const TEXT_OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'lt', 'ge', 'le'];

/** The result in every reading of the page; Unclear where they differ. */
function agreed(readings: readonly boolean[]): boolean {
  if (readings.some((reading) => reading !== readings[0])) throw new Unclear('readings of _filter differ');
  return readings[0] === true;
}

const some =
  (test: (element: Element) => boolean): SetTest =>
  (elements) =>
    elements.some(test);

/** @throws BadSearch for an operator that is not for the kind, and for a value that is none of it */
export function operatorTest(space: Space, parameter: Parameter, operator: string, value: string): SetTest {
  const { kind } = parameter;
  if (operator === 'pr') {
    if (value !== 'true' && value !== 'false') throw new BadSearch(`_filter: pr ${value}`);
    return (elements) => elements.length > 0 === (value === 'true');
  }
  const wrong = new BadSearch(`_filter: ${operator} is not for ${kind}`);
  switch (kind) {
    case 'string':
      if (!TEXT_OPERATORS.includes(operator)) throw wrong;
      return some(textTest(operator, value));
    case 'uri':
      if (!['eq', 'ne', 'co', 'sw'].includes(operator)) throw wrong;
      return some(({ value: stored }) => compareTexts(operator, textOf(stored) ?? '', value));
    case 'token':
      return tokenTest(space, parameter, operator, value, wrong);
    case 'date':
      if (operator === 'po' || operator === 'co') {
        const { range } = readDate(value);
        const meets = operator === 'po' ? overlap : includes;
        return some((element) =>
          rangesOfElement(element.type, element.value).some((stored) => meets(stored, range)),
        );
      }
      if (!PREFIXES.includes(operator)) throw wrong;
      return some((element) =>
        rangesOfElement(element.type, element.value).some((range) =>
          meetsDate(range, readDate(operator + value), space.now()),
        ),
      );
    case 'number': {
      if (!PREFIXES.includes(operator)) throw wrong;
      const search = readNumber(operator + value);
      return some((element) => intervalsOf(element).some((one) => meetsNumberSearch(one, search)));
    }
    case 'quantity': {
      if (!PREFIXES.includes(operator)) throw wrong;
      const search = readQuantity(operator + value.replace('|ucum|', `|${UCUM}|`));
      return some((element) => quantitiesOf(element).some((one) => meetsQuantity(one, search)));
    }
    case 'reference': {
      if (operator !== 're') throw wrong;
      const sought = targetOf(value, space.root);
      return some(({ value: stored }) => {
        const text = referenceText(stored) ?? '';
        const target = targetOf(text, space.root);
        return sought === undefined
          ? text === value
          : target?.type === sought.type && target.id === sought.id;
      });
    }
    default:
      throw wrong;
  }
}

const overlap = ([low, high]: DateRange, [from, to]: DateRange): boolean => low < to && high > from;
const includes = ([low, high]: DateRange, [from, to]: DateRange): boolean => low <= from && high >= to;

/** The ordered operators compare the first character alone. */
function compareTexts(operator: string, text: string, sought: string): boolean {
  const [first = '', other = ''] = [[...text][0], [...sought][0]];
  switch (operator) {
    case 'co':
      return text.includes(sought);
    case 'sw':
      return text.startsWith(sought);
    case 'ew':
      return text.endsWith(sought);
    case 'ne':
      return text !== sought;
    case 'gt':
      return first > other;
    case 'lt':
      return first < other;
    case 'ge':
      return first >= other;
    case 'le':
      return first <= other;
    default:
      return text === sought;
  }
}

function textTest(operator: string, value: string): (element: Element) => boolean {
  const sought = folded(value);
  return ({ type, value: stored }) =>
    textsOfElement(type, stored, false).some(({ text }) => compareTexts(operator, folded(text), sought));
}

const lower = ({ system, code }: Token): Token => ({
  system,
  code: code?.toLowerCase(),
  isExact: true,
});

function tokenTest(
  space: Space,
  parameter: Parameter,
  operator: string,
  value: string,
  wrong: BadSearch,
): SetTest {
  const types = parameter.paths.map(({ type }) => (type === 'deceased' ? 'boolean' : type));
  if (operator === 'in' || operator === 'ni') {
    const codes = space.terminology.membersOf(value);
    const isIn = some((element) =>
      tokensOf(element).some(({ system, code }) =>
        codes.some((one) => one.system === system && one.code === code),
      ),
    );
    return operator === 'in' ? isIn : (elements) => !isIn(elements);
  }
  const sought = readToken(value.replace(/^loinc\|/, 'http://loinc.org|'), types);
  if (operator === 'ss' || operator === 'sb') {
    const { system, code } = sought;
    if (system === undefined || code === undefined)
      throw new BadSearch(`_filter: ${operator} takes system|code`);
    return some((element) =>
      tokensOf(element).some((token) => {
        if (token.system !== system || token.code === undefined) return false;
        return operator === 'ss'
          ? space.terminology.isBelow(system, token.code, code)
          : space.terminology.isBelow(system, code, token.code);
      }),
    );
  }
  if (operator !== 'eq' && operator !== 'ne') throw wrong;
  const isSame = (token: Token, type: string): boolean => {
    const inLowerCase = meetsToken(lower(token), { system: sought.system, code: sought.code?.toLowerCase() });
    return type === 'code' ? inLowerCase : agreed([meetsToken(token, sought), inLowerCase]);
  };
  return some((element) =>
    tokensOf(element)
      .filter(({ code }) => code !== undefined)
      .some((token) => isSame(token, element.type) === (operator === 'eq')),
  );
}
