/**
 * The rules txt-1 and txt-2 of Narrative.div, as far as text alone can tell: a div in the XHTML namespace with some
 * content, made of the elements and attributes that a narrative may have.
 * Source: https://hl7.org/fhir/R4/narrative.html#xhtml
 */
const ELEMENTS: ReadonlySet<string> = new Set(
  (
    'a abbr acronym b big blockquote br caption cite code col colgroup dd dfn div dl dt em h1 h2 h3 h4 h5 h6 hr i img ' +
    'li ol p pre q samp small span strong sub sup table tbody td tfoot th thead tr tt ul var'
  ).split(' '),
);
const ATTRIBUTES: ReadonlySet<string> = new Set(
  (
    'abbr accesskey align alt axis bgcolor border cellhalign cellpadding cellspacing cellvalign char charoff charset ' +
    'cite class colspan compact coords dir frame headers height href hreflang hspace id lang longdesc name nowrap rel ' +
    'rev rowspan rules scope shape span src start style summary tabindex title type valign value vspace width xml:lang xmlns'
  ).split(' '),
);
const TAG = /<\/?([A-Za-z][\w:-]*)((?:\s+[\w:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*\/?>/g;
const ATTRIBUTE = /([\w:-]+)\s*=\s*(?:"[^"]*"|'[^']*')/g;

export function isNarrative(xhtml: string): boolean {
  if (!/^\s*<div[^>]*\sxmlns=["']http:\/\/www\.w3\.org\/1999\/xhtml["']/.test(xhtml)) return false;
  const content = xhtml.replace(/<!--[^]*?-->/g, '');
  for (const [, name = '', attributes = ''] of content.matchAll(TAG)) {
    if (!ELEMENTS.has(name)) return false;
    for (const [, attribute = ''] of attributes.matchAll(ATTRIBUTE))
      if (!ATTRIBUTES.has(attribute)) return false;
  }
  const text = content.replace(TAG, '');
  return !text.includes('<') && (/\S/.test(text) || /<img\s/.test(content));
}
