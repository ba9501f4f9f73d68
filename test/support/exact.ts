/**
 * Values that must be returned unchanged, and values that must be refused: shared by the tests of REST and of
 * GraphQL.
 */

/** Decimals as a client writes them; JavaScript would change all but the last two. */
export const DECIMALS = [
  '1.00', '0.10', '1e-7', '123456789012345678', '0.123456789012345678', '-12.50', '1E+5', '5.0e-10', '-0.0',
  '3.14159265358979323846', '7.5', '42',
]; // prettier-ignore

/**
 * Astral, combining (decomposed and composed), right to left with its marks, joined, and a text that looks like an
 * escape.
 */
export const TEXTS = [
  '𝒳 😀 寿司',
  'e\u0301 é n\u0303 ñ',
  '\u202bשלום\u202c مرحبا \u200f',
  '👩\u200d⚕️ \ufeff|\u2028|\u2029|\u00a0',
  '\\u0041 "quoted" \\\\ / tab\there',
  '1.00',
]; // prettier-ignore

const components = (decimals: readonly string[]): string =>
  decimals
    .map((decimal) => `{"valueQuantity":{"unit":"kg","value":${decimal}},"code":{"text":"${decimal}"}}`)
    .join(',');
const notes = TEXTS.map((text) => `{"text":${JSON.stringify(text)}}`).join(',');
const tag = `{"display":${JSON.stringify(TEXTS.join(' '))},"code":"exact","system":"http://example.org/tags"}`;
const weight = '{"valueDecimal":2.50,"url":"http://example.org/weight"}';

/**
 * An Observation whose members have an order of their own, as the pieces between which the server may put its part:
 * the id, and its part of meta.
 */
export function exactPieces(decimals: readonly string[] = DECIMALS): readonly string[] {
  return [
    '"status":"final","resourceType":"Observation"',
    `"component":[${components(decimals)}],"meta":{`,
    `"tag":[${tag}]},"note":[${notes}],"extension":[${weight}],"code":{"text":${JSON.stringify(TEXTS[1])}}`,
  ];
}

/** The Observation as a client sends it; without an id for a create. */
export function exactText(id?: string): string {
  const [head = '', components = '', rest = ''] = exactPieces();
  return `{${head},${id === undefined ? '' : `"id":"${id}",`}${components}${rest}}`;
}

/** The pieces that are missing in the text, or not in their order; none when all is unchanged. */
export function missingPieces(text: string, pieces: readonly string[] = exactPieces()): readonly string[] {
  let from = 0;
  return pieces.filter((piece) => {
    const at = text.indexOf(piece, from);
    if (at >= 0) from = at + piece.length;
    return at < 0;
  });
}

/** A code system whose answers contain a decimal, text and an extension. */
export function exactCodeSystem(id: string): string {
  const property = '{"code":"weight","valueDecimal":1.00}';
  return `{"resourceType":"CodeSystem","id":"${id}","url":"http://example.org/${id}","name":"Exact","status":"active","content":"complete","property":[{"code":"weight","type":"decimal"}],"concept":[{"code":"a","display":${JSON.stringify(TEXTS.join(' '))},"property":[${property}]}]}`;
}

export interface Fault {
  readonly title: string;
  /** JSON of a HumanName with the fault in it. */
  readonly name: string;
  /** The place of the fault below the name. */
  readonly place: string;
  /** The code of the issue. */
  readonly code: 'structure' | 'value';
  readonly says: RegExp;
}

/** As many levels of extensions, two each, as make a Patient's name deeper than any limit. */
const deep = (levels: number): string =>
  '{"extension":['.repeat(levels) + '{"url":"a"}' + ']}'.repeat(levels);

export const FAULTS: readonly Fault[] = [
  {
    title: 'a member that stands twice',
    name: '{"use":"official","family":"A","family":"B"}',
    place: '.family',
    code: 'structure',
    says: /The member 'family' occurs twice in /,
  },
  {
    title: 'a member that stands twice, once written in another way',
    name: '{"family":"A","famil\\u0079":"B"}',
    place: '.family',
    code: 'structure',
    says: /The member 'family' occurs twice in /,
  },
  { title: 'U+0001', name: '{"family":"a\\u0001b"}', place: '.family', code: 'value', says: /U\+0001/ },
  {
    title: 'what would pass for a decimal',
    name: '{"family":"\\u00011.00"}',
    place: '.family',
    code: 'value',
    says: /U\+0001/,
  },
  {
    title: 'half of a surrogate pair',
    name: '{"given":["A","a \\ud83d b"]}',
    place: '.given[1]',
    code: 'value',
    says: /half of a surrogate pair/,
  },
  {
    title: 'a surrogate pair in the wrong order',
    name: '{"family":"\\ude00\\ud83d"}',
    place: '.family',
    code: 'value',
    says: /half of a surrogate pair/,
  },
  {
    title: '__proto__',
    name: '{"__proto__":{"family":"A"}}',
    place: '.__proto__',
    code: 'structure',
    says: /must not have the name '__proto__'/,
  },
  {
    title: '__proto__ written in another way',
    name: '{"__pr\\u006fto__":{"family":"A"}}',
    place: '.__proto__',
    code: 'structure',
    says: /must not have the name '__proto__'/,
  },
  {
    title: 'constructor',
    name: '{"constructor":{"prototype":{"family":"A"}}}',
    place: '.constructor',
    code: 'structure',
    says: /must not have the name 'constructor'/,
  },
  {
    title: 'too many levels',
    name: deep(40),
    place: '.extension[0].extension[0].extension[0].extension[0].extension[0]',
    code: 'structure',
    says: /nested deeper than 6\d levels/,
  },
];

/** The member `extension` with so many extensions, each in the one before: two levels each, and one in the last. */
export function nestedExtensions(count: number): string {
  const open = '"extension":[{"url":"http://example.org/nested",'.repeat(count);
  return `${open}"valueCoding":{"code":"a"}${'}]'.repeat(count)}`;
}

/** A Patient with a name given as JSON. */
export function patientNamed(name: string, id?: string): string {
  return `{"resourceType":"Patient",${id === undefined ? '' : `"id":"${id}",`}"name":[${name}]}`;
}

/** The text with one invalid UTF-8 byte in the family name, and its position. */
export function toBadBytes(text: string): { readonly bytes: Buffer; readonly column: number } {
  const at = text.indexOf('BYTE');
  const bytes = Buffer.from(text);
  bytes[Buffer.byteLength(text.slice(0, at))] = 0xff;
  return { bytes, column: at + 1 };
}
