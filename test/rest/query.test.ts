import { parseQueryText } from '../../src/core';
import { formatParameters, readQuery } from '../../src/rest/requests/query';

describe('parameters of an address', () => {
  it('come decoded and in the order of the request, repeats included', () => {
    expect(
      readQuery('/Patient?name=M%C3%BCller&birthdate=ge1970&name:exact=a+b&birthdate=lt1980').parameters,
    ).toEqual([
      ['name', 'Müller'],
      ['birthdate', 'ge1970'],
      ['name:exact', 'a b'],
      ['birthdate', 'lt1980'],
    ]);
  });

  it('keep an equals sign in the value, and a name without one', () => {
    expect(parseQueryText('&a=b=c&&d&e=')).toEqual([
      ['a', 'b=c'],
      ['d', ''],
      ['e', ''],
    ]);
  });

  it('are separate from those of the format of the answer', () => {
    const query = readQuery('/Patient?_pretty=true&name=x&_format=application/fhir%2Bjson#fragment');
    expect(query.parameters).toEqual([['name', 'x']]);
    expect(query.pretty).toBe(true);
    expect(query.format).toBe('application/fhir+json');
  });

  it.each([['a=%'], ['a=%zz'], ['a=%ff'], ['%c3=a'], ['a=%ed%a0%80'], ['a=%00']])(
    'refuse %s with 400',
    (text) => {
      expect(() => parseQueryText(text)).toThrow(expect.objectContaining({ status: 400 }));
    },
  );

  it('survive being written into a link and read again', () => {
    const parameters: [string, string][] = [
      ['name:exact', 'a&b=c+d #?%'],
      ['code', 'http://loinc.org|8867-4,|x'],
      ['subject:Patient.name', 'Müller \u{1f600}'],
      ['value', 'a\\,b$c'],
    ];
    const text = formatParameters(parameters);
    expect(text).toMatch(/^[A-Za-z0-9\-._~:@!$&'()*+,;=/?%]*$/);
    expect(parseQueryText(text)).toEqual(parameters);
  });
});
