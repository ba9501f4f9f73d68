/** Lookups by key among many values find exactly the equal ones, for values of all types. */
import { UNMETERED } from '../../../../src/core/fhir/path/allowance';
import { loadDefinitions } from '../../../../src/core/fhir/definitions';
import { parseJson, type JsonObject } from '../../../../src/core/fhir/json';
import { areEqual } from '../../../../src/core/fhir/path/equality';
import { createRecord, includes, markSearched } from '../../../../src/core/fhir/path/membership';
import { isQuantityOfFhir } from '../../../../src/core/fhir/path/node-set';
import { areEqualJson } from '../../../../src/core/fhir/path/same';
import { compilePath } from '../../../../src/core/fhir/path';
import { PathNode } from '../../../../src/core/fhir/path/value';
import { Random } from '../random-json';

const definitions = loadDefinitions('r4');

const EXTENSIONS = [
  '"valueDate":"2020"', '"valueDate":"2020-01"', '"valueDate":"2020-01-01"', '"valueDateTime":"2020-01-01"',
  '"valueDateTime":"2020-01-01T10:00:00Z"', '"valueInstant":"2020-01-01T11:00:00+01:00"',
  '"valueDateTime":"2020-01-01T10:00:00.000Z"', '"valueDateTime":"2020-01-01T10:00:00"', '"valueDateTime":"2020-01-01T10:00:00.5Z"',
  '"valueDateTime":"2019-12-31T23:30:00-10:30"', '"valueDateTime":"not a date"', '"valueString":"not a date"',
  '"valueTime":"10:00:00"', '"valueTime":"10:00:00.0"', '"valueString":"10:00:00"', '"valueString":"2020"',
  '"valueString":"2020-01-01T10:00:00Z"', '"valueCode":"2020"', '"valueDecimal":1.0', '"valueDecimal":1.00', '"valueInteger":1',
  '"valueInteger":1000', '"valueDecimal":100', '"valueDecimal":1e400', '"valueDecimal":0.001', '"valueBoolean":true', '"valueString":"true"',
  '"_valueString":{"id":"x"}', '"_valueInteger":{"id":"x"}', '"_valueDate":{"id":"x"}', '"_valueTime":{"id":"x"}', '"_valueDecimal":{"id":"y"}',
  '"valueCoding":{"code":"a","system":"urn:s"}', '"valueCoding":{"system":"urn:s","code":"a"}',
  ...['1', '1.0', '1000', '0.001', '1.00000000000001', '1000.00000000001'].flatMap((value) =>
    ['g', 'mg', 'kg', '%', '1', '[IU]'].map(
      (code) => `"valueQuantity":{"value":${value},"system":"http://unitsofmeasure.org","code":"${code}"}`,
    ),
  ),
  '"valueQuantity":{"value":1,"unit":"g"}', '"valueQuantity":{"value":1,"comparator":"<","unit":"g"}', '"valueQuantity":{"unit":"g"}',
  '"valueAge":{"value":1,"system":"http://unitsofmeasure.org","code":"a"}',
]; // prettier-ignore

const LITERALS = [
  "1 'g'", "1000 'mg'", "0.001 'kg'", "1 '1'", "100 '%'", '1 year', "1 'a'", '1 day', "1 'd'", "24 'h'", "1.0 'g'", '1.0', '1', '1000',
  '@2020', '@2020-01', '@2020-01-01T10:00:00Z', '@2020-01-01T11:00:00+01:00', '@2020-01-01T10Z', '@2020-01-01T', '@T10:00', '@T10:00:00', "'2020'", "'g'",
]; // prettier-ignore

const { value } = parseJson(
  `{"resourceType":"Basic","extension":[${EXTENSIONS.map((text) => `{"url":"urn:x",${text}}`).join(',')}]}`,
);
const basic = value as JsonObject;

const values = ['extension.value', ...LITERALS].flatMap((expression) =>
  compilePath(expression, { definitions, rootType: 'Basic' })(basic).filter((one) => one instanceof PathNode),
);

const shown = (node: PathNode | undefined): string =>
  JSON.stringify([node?.type, node?.value, node?.element]);

it('finds every value among others exactly where = is true of it', () => {
  const fillers = Array.from({ length: 13 }, (_, index) => new PathNode(`filler ${index}`, values[15]!.node));
  for (const other of values) {
    const among = [...fillers, other];
    markSearched(among);
    for (const wanted of values)
      expect([shown(wanted), shown(other), includes(among, wanted, UNMETERED)]).toEqual([
        shown(wanted),
        shown(other),
        areEqual(wanted, other, UNMETERED) === true,
      ]);
  }
});

it('leaves out the same repetitions among many as by comparing with each', () => {
  const random = new Random(20);
  const isRepetition = (one: PathNode, other: PathNode): boolean =>
    isQuantityOfFhir(one) && isQuantityOfFhir(other)
      ? areEqualJson(one.value, other.value)
      : areEqual(one, other, UNMETERED) === true;
  for (let round = 0; round < 300; round++) {
    const nodes = Array.from({ length: 40 }, () => random.pick(values));
    const isNew = createRecord(UNMETERED);
    const seen: PathNode[] = [];
    for (const node of nodes) {
      const expected = !seen.some((one) => isRepetition(one, node));
      if (expected) seen.push(node);
      expect([shown(node), isNew(node)]).toEqual([shown(node), expected]);
    }
  }
});
