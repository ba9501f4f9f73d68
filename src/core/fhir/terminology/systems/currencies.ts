/** Currencies: https://www.iso.org/iso-4217-currency-codes.html */
import { type BuiltInSystem, englishNames } from './built-in-system';

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

const nameOf = englishNames('currency');
let codes: ReadonlySet<string> | undefined;

/**
 * `Intl.supportedValuesOf` has only the currencies in use today; names exist for funds and former ones too, which old
 * records have. Cost: some 10 ms the first time.
 */
function currencies(): ReadonlySet<string> {
  codes ??= new Set(
    LETTERS.flatMap((a) => LETTERS.flatMap((b) => LETTERS.map((c) => a + b + c))).filter(
      (code) => nameOf(code) !== undefined,
    ),
  );
  return codes;
}

/** ISO 4217 as Unicode CLDR has it: currencies of today, former ones, funds and metals. */
export const CURRENCIES: BuiltInSystem = {
  url: 'urn:iso:std:iso:4217',
  allowed: "a currency of ISO 4217 such as 'EUR'",
  isCode: (code) => currencies().has(code),
  codes: () => [...currencies()],
  display: nameOf,
};
