/** Text of narratives without markup. */
import { endOfReference, referred } from '../../fhir/validate/narrative-markup';

/** Elements that may begin and end inside a word; all others separate words. */
const INLINE: ReadonlySet<string> = new Set(
  'a abbr acronym b bdo big cite code dfn em font i kbd q s samp small span strike strong sub sup tt u var'.split(
    ' ',
  ),
);

const LESS_THAN = 60;
const AMPERSAND = 38;

/** Returns the text of XHTML without unclosed tags. Cost: one pass. */
export function narrativeText(xhtml: string): string {
  let text = '';
  let from = 0;
  for (let at = 0; at < xhtml.length; at++) {
    const unit = xhtml.charCodeAt(at);
    if (unit !== LESS_THAN && unit !== AMPERSAND) continue;
    text += xhtml.slice(from, at);
    const end = unit === LESS_THAN ? endOfTag(xhtml, at) : endOfReference(xhtml, at);
    if (end === undefined) {
      if (unit === LESS_THAN) return text;
      from = at;
      continue;
    }
    text += unit === LESS_THAN ? separatorOf(xhtml, at) : characterOf(xhtml, at, end);
    from = end;
    at = end - 1;
  }
  return text + xhtml.slice(from);
}

/** Returns the position after the `>` of the tag or comment that begins at `at`; undefined when there is none. */
function endOfTag(xhtml: string, at: number): number | undefined {
  if (xhtml.startsWith('<!--', at)) {
    const end = xhtml.indexOf('-->', at + 4);
    return end === -1 ? undefined : end + 3;
  }
  let quote = '';
  for (let next = at + 1; next < xhtml.length; next++) {
    const character = xhtml.charAt(next);
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '>') return next + 1;
    else if (character === '"' || character === "'") quote = character;
  }
  return undefined;
}

function separatorOf(xhtml: string, at: number): '' | ' ' {
  if (xhtml.startsWith('<!--', at)) return '';
  const [, name = ''] = /^<\/?([A-Za-z][A-Za-z0-9]*)/.exec(xhtml.slice(at, at + 20)) ?? [];
  return INLINE.has(name.toLowerCase()) ? '' : ' ';
}

function characterOf(xhtml: string, at: number, end: number): string {
  const code = referred(xhtml, at, end);
  return code === undefined ? ' ' : String.fromCodePoint(code);
}
