/** Lists as files. */
import { isObject, parseJson, type JsonObject } from '../../console/src/api/json';
import { toCsv, toNdjson } from '../../console/src/fhir/csv';
import { toCsvField } from '../../packages/fhir-values/csv-field';

function object(text: string): JsonObject {
  const value = parseJson(text);
  if (!isObject(value)) throw new Error('no object');
  return value;
}

it.each([
  ['Anders', 'Anders'],
  ['Anders, Ida', '"Anders, Ida"'],
  ['say "x"', '"say ""x"""'],
  ['two\nlines', '"two\nlines"'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['-5.40', '-5.40'],
  ['=1+1', "'=1+1"],
  ['+45 123', "'+45 123"],
  ['-1+2', "'-1+2"],
  ['@SUM(A1)', "'@SUM(A1)"],
  [' =1+1', "' =1+1"],
  ['\t=1+1', `"'\t=1+1"`],
  ['\r=1', `"'\r=1"`],
  ['＝1+1', "'＝1+1"],
  ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
])('the field %j is written as %j', (text, field) => expect(toCsvField(text)).toBe(field));

it('a table has the id and the columns that are shown, as they are shown', () => {
  const column = (name: string, label: string, type: string) => ({
    ...{ name, label, short: '', types: [type], isChoice: false, sortedBy: undefined },
  });
  const records = [
    object(
      '{"id": "a", "name": [{"family": "Çelik", "given": ["Defne"]}], "value": {"value": 1.00, "unit": "mg"}}',
    ),
    object('{"id": "b", "name": [{"text": "=cmd|x"}]}'),
  ];
  expect(
    toCsv([column('name', 'Name', 'HumanName'), column('value', 'Value', 'Quantity')], records, 'ID'),
  ).toBe("\ufeffID,Name,Value\r\na,Defne Çelik,1.00 mg\r\nb,'=cmd|x,\r\n");
});

it('a line of NDJSON is a record with all of its digits', () =>
  expect(toNdjson([object('{"a": 1.00,\n "b": "x\\ny"}'), object('{}')])).toBe(
    '{"a":1.00,"b":"x\\ny"}\n{}\n',
  ));
