import { indentJson } from '../../src/rest/responses/json-layout';

describe('_pretty', () => {
  it('indents JSON like JSON.stringify', () => {
    const value = {
      resourceType: 'Patient',
      empty: {},
      none: [],
      nested: [[], [{}], [{ a: [1, -2.5, true, null, 'x'] }], ''],
      text: { div: '<div>"{[:,]}\\" \\\\ \n \u{1f600}</div>' },
    };
    expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    expect(indentJson(JSON.stringify(value, null, 7))).toBe(JSON.stringify(value, null, 2));
  });

  it('keeps the digits of decimals', () => {
    expect(indentJson('{"value":1.00,"low":-0.10E+02,"high":100000000000000000000.5}')).toBe(
      '{\n  "value": 1.00,\n  "low": -0.10E+02,\n  "high": 100000000000000000000.5\n}',
    );
  });

  it('copes with a string of many megabytes', () => {
    const text = JSON.stringify({ content: '\\"x'.repeat(3_000_000) });
    expect(JSON.parse(indentJson(text))).toEqual(JSON.parse(text));
  });
});
