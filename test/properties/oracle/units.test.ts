/** The oracle's table of units against the library of the Lister Hill Center. */
import { rational } from './rational';
import { areComparable, toBase, UNIT_CODES } from './units';

interface Conversion {
  readonly status: string;
  readonly toVal: number | null;
}

interface Library {
  readonly UcumLhcUtils: {
    getInstance(): { convertUnitTo(from: string, value: number, to: string): Conversion };
  };
}

const utilities = jest.requireActual<Library>('@lhncbc/ucum-lhc').UcumLhcUtils.getInstance();
const asNumber = ({ top, bottom }: ReturnType<typeof rational>): number => Number(top) / Number(bottom);

const pairs = UNIT_CODES.flatMap((from) => UNIT_CODES.map((to) => [from, to] as const));

describe('the table of units', () => {
  it.each(pairs)('converts %s to %s as the library does', (from, to) => {
    const { status, toVal } = utilities.convertUnitTo(from, 7.5, to);
    expect(areComparable(from, to)).toBe(status === 'succeeded');
    if (toVal === null) return;
    expect(asNumber(toBase(rational(String(toVal)), to))).toBeCloseTo(
      asNumber(toBase(rational('7.5'), from)),
      6,
    );
  });
});
