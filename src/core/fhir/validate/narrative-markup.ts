/**
 * The markup that a narrative may contain. Source: https://hl7.org/fhir/R4/narrative.html#xhtml and the lists of its
 * rules txt-1 (elements) and txt-3 (attributes).
 */
import { isXmlSpace } from './text-scan';

/**
 * "The basic HTML formatting elements described in chapters 7-11 (except section 4 of chapter 9) and 15 of the HTML 4.0
 * standard, <a> elements …, images", without deprecated ones. The rule's own list omits address, bdo and kbd of those
 * chapters, and image maps; the schema of the specification (fhir-xhtml.xsd) has them.
 */
export const ELEMENTS: ReadonlySet<string> = new Set(
  (
    'a abbr acronym address area b bdo big blockquote br caption cite code col colgroup dd dfn div dl dt em h1 h2 h3 ' +
    'h4 h5 h6 hr i img kbd li map ol p pre q samp small span strong sub sup table tbody td tfoot th thead tr tt ul var'
  ).split(' '),
);

export const ATTRIBUTES: ReadonlySet<string> = new Set(
  (
    'abbr accesskey align alt axis bgcolor border cellhalign cellpadding cellspacing cellvalign char charoff charset ' +
    'cite class colspan compact coords dir frame headers height href hreflang hspace id ismap lang longdesc name ' +
    'nohref nowrap rel rev rowspan rules scope shape span src start style summary tabindex title type usemap valign ' +
    'value vspace width xml:lang xml:space xmlns'
  ).split(' '),
);

/** The entities of HTML 4 that XML does not have (https://www.w3.org/TR/html4/sgml/entities.html). */
export const HTML_ENTITIES: ReadonlySet<string> = new Set(
  (
    'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute ' +
    'micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring ' +
    'AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml ' +
    'times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil ' +
    'egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ' +
    'ugrave uacute ucirc uuml yacute thorn yuml fnof Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa ' +
    'Lambda Mu Nu Xi Omicron Pi Rho Sigma Tau Upsilon Phi Chi Psi Omega alpha beta gamma delta epsilon zeta eta ' +
    'theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega thetasym upsih ' +
    'piv bull hellip prime Prime oline frasl weierp image real trade alefsym larr uarr rarr darr harr crarr lArr ' +
    'uArr rArr dArr hArr forall part exist empty nabla isin notin ni prod sum minus lowast radic prop infin ang ' +
    'and or cap cup int there4 sim cong asymp ne equiv le ge sub sup nsub sube supe oplus otimes perp sdot lceil ' +
    'rceil lfloor rfloor lang rang loz spades clubs hearts diams OElig oelig Scaron scaron Yuml circ tilde ensp ' +
    'emsp thinsp zwnj zwj lrm rlm ndash mdash lsquo rsquo sbquo ldquo rdquo bdquo dagger Dagger permil lsaquo ' +
    'rsaquo euro'
  ).split(' '),
);

/** Attributes whose value a browser may follow. */
const ADDRESSES: ReadonlySet<string> = new Set(['href', 'src', 'cite', 'longdesc', 'usemap']);
const SCRIPT_SCHEMES: ReadonlySet<string> = new Set(['javascript', 'vbscript', 'data']);
const LONGEST_SCRIPT_SCHEME = 10;
/** Scripts that old browsers ran in a style. */
const SCRIPT_IN_STYLE = /javascript\s*:|vbscript\s*:|expression\s*\(/i;

/**
 * True if the value of an attribute could run a script: "there is no active content". The specification requires images
 * as `data:` addresses; other data, such as a page, is refused because a browser would display it. Cost: linear.
 */
export function isActive(element: string, attribute: string, value: string): boolean {
  if (attribute === 'style') return value.includes('(') && SCRIPT_IN_STYLE.test(value);
  if (!ADDRESSES.has(attribute)) return false;
  const end = endOfScheme(value);
  return end !== undefined && !(element === 'img' && attribute === 'src' && isImage(value, end));
}

/**
 * Returns the end of a scheme that could run a script, or undefined. Reads as browsers do: it decodes references and
 * skips tabs and line feeds.
 */
function endOfScheme(value: string): number | undefined {
  let scheme = '';
  for (let at = 0; at < value.length;) {
    const isReference = value.charCodeAt(at) === AMPERSAND;
    const end = isReference ? endOfReference(value, at) : at + 1;
    if (end === undefined) return undefined;
    const character = isReference ? referred(value, at, end) : value.charCodeAt(at);
    at = end;
    if (character === COLON) return SCRIPT_SCHEMES.has(scheme) ? at : undefined;
    if (character === undefined) return undefined;
    if (character <= 0x20 && (scheme === '' || isXmlSpace(character))) continue;
    scheme += String.fromCodePoint(character).toLowerCase();
    if (scheme.length > LONGEST_SCRIPT_SCHEME) return undefined;
  }
  return undefined;
}

function isImage(value: string, from: number): boolean {
  const scheme = value.slice(0, from).trimStart().toLowerCase();
  return scheme === 'data:' && /^ *image\//i.test(value.slice(from, from + 100));
}

const AMPERSAND = 38;
const COLON = 58;
const NAMED: Readonly<Record<string, number>> = { amp: 38, lt: 60, gt: 62, quot: 34, apos: 39 };
const NUMERIC = /^#(?:([0-9]{1,8})|x([0-9A-Fa-f]{1,8}))$/;
const LONGEST_REFERENCE = 12;

/**
 * Returns the index after the `;` of the reference that begins at the `&`; undefined if it is longer than
 * LONGEST_REFERENCE.
 */
export function endOfReference(text: string, at: number): number | undefined {
  for (let next = at + 1; next < text.length && next <= at + LONGEST_REFERENCE; next++) {
    if (text.charCodeAt(next) === 59) return next + 1;
  }
  return undefined;
}

/** Returns the code point that a reference stands for; undefined if XML has no such reference. */
export function referred(text: string, at: number, end: number): number | undefined {
  const inner = text.slice(at + 1, end - 1);
  if (Object.hasOwn(NAMED, inner)) return NAMED[inner];
  const [, decimal, hexadecimal] = NUMERIC.exec(inner) ?? [];
  const code = decimal === undefined ? parseInt(hexadecimal ?? '', 16) : parseInt(decimal, 10);
  return isXmlCharacter(code) ? code : undefined;
}

/** True for a character of XML (https://www.w3.org/TR/xml/#charsets); false for NaN. */
function isXmlCharacter(code: number): boolean {
  return (
    isXmlSpace(code) ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff)
  );
}
