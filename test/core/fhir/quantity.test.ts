import { canonicalUnit, isUnit } from '../../../src/core/fhir/quantity';

const canonical = (value: number, code: string) => {
  const unit = canonicalUnit(code);
  return unit === undefined ? undefined : [unit.toCanonical(value), unit.unit];
};

describe('a quantity in canonical UCUM', () => {
  it.each([
    [5.4, 'mg', 5400, 'ug'],
    [70, 'kg', 70_000, 'g'],
    [7, 'mmol/L', 0.007, 'mol/L'],
    [120, 'mm[Hg]', 12, 'cm[Hg]'],
    [4.5, '10*3/uL', 4500, '/uL'],
    [4.5, '10*3/uL', 4.5, '10*9/L'],
    [1, '[in_i]', 2.54, 'cm'],
    [72, '/min', 72, '{beats}/min'],
    [50, '%', 0.5, '1'],
    [37, 'Cel', 310.15, 'K'],
    [98.6, '[degF]', 37, 'Cel'],
    [-40, '[degF]', -40, 'Cel'],
    [7, '[pH]', 1e-7, 'mol/L'],
    [2, 'h', 120, 'min'],
    [2.5, 'm[IU]/L', 2.5, 'u[IU]/mL'],
    [2.5, 'm[IU]/L', 0.0025, '[IU]/L'],
    [1, '[iU]', 1, '[IU]'],
    [3, 'k[IU]{total}/kg/h', 3, '[IU]/g/h'],
    [1, '10*6.[CFU]/L', 1000, '[CFU]/mL'],
    [1, 'mg/[IU]', 1, 'g/k[IU]'],
    [1, '[IU]2', 1_000_000, 'm[IU]2'],
    [1, '[IU].lm/sr', 1, '[IU].cd'],
  ])('%d %s is %d %s', (value, code, otherValue, otherCode) => {
    expect(canonical(value, code)).toBeDefined();
    expect(canonical(value, code)).toEqual(canonical(otherValue, otherCode));
  });

  it('names its base units in a fixed order', () => {
    expect(canonicalUnit('mg/dL')?.unit).toBe('g.m-3');
    expect(canonicalUnit('N')?.unit).toBe('g.m.s-2');
    expect(canonicalUnit('1')?.unit).toBe('1');
  });

  it('never converts an arbitrary unit into another one, or into a unit of a dimension', () => {
    const units = [
      '[IU]',
      "[arb'U]",
      "[USP'U]",
      '[CFU]',
      '[EU]',
      'U',
      'g',
      'cd',
      'rad',
      '1',
      '[IU]2',
      '/[IU]',
    ];
    expect(new Set(units.map((code) => canonicalUnit(code)?.unit)).size).toBe(units.length);
    expect(canonicalUnit('m[IU]/L')?.unit).toBe('[iU].m-3');
    expect(canonicalUnit('{[IU]}')?.unit).toBe('1');
  });

  it('is nothing for several arbitrary units, for texts that are no unit, and for overlong ones', () => {
    for (const code of [
      "[IU].[arb'U]",
      '[IU]/[CFU]',
      '[IU]x',
      '[none]',
      'tablets',
      '',
      'Cel/h',
      'm'.repeat(65),
    ])
      expect(canonical(1, code)).toBeUndefined();
  });

  it('accepts several arbitrary units, although they cannot be converted', () => {
    for (const code of ["[IU].[arb'U]", 'k[IU]/L', 'mg', '{score}', '[IU]'])
      expect([code, isUnit(code)]).toEqual([code, true]);
    for (const code of ['tablets', '', 'mmHg', 'm'.repeat(65)])
      expect([code, isUnit(code)]).toEqual([code, false]);
  });

  it('calls the library once for each unit', () => {
    expect(canonicalUnit('ug/L')).toBe(canonicalUnit('ug/L'));
  });

  it('never writes client input to the console', () => {
    const log = jest.spyOn(console, 'log').mockImplementation(() => undefined);
    try {
      for (const code of ['John Smith', '()Ikaced', '{e0g}8x', '(kL)(7.d4)', 'c{7}(L)U', ' ', ' {e0g}8']) {
        expect(canonical(1, code)).toBeUndefined();
        expect(isUnit(code)).toBe(false);
      }
      expect(log).not.toHaveBeenCalled();
    } finally {
      log.mockRestore();
    }
  });

  it('never throws for whatever is sent as a unit', () => {
    for (const code of [
      '/',
      '(',
      '((',
      '.',
      'm..s',
      '10*',
      '{',
      '}',
      '[',
      'm{a}{b}',
      '\u0000',
      'é',
      '1e400',
      '10*999999',
      '__proto__',
      'constructor',
      'm999999999999',
    ])
      expect(() => canonical(1, code)).not.toThrow();
  });
});
