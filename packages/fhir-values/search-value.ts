/** Splits a raw value at every unescaped `separator` (search.html#escaping); the parts stay escaped. */
export function splitUnescaped(text: string, separator: ',' | '|' | '$'): string[] {
  if (!text.includes(separator)) return [text];
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '\\') at++;
    else if (character === separator) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

/** Removes the backslashes from `\,` `\$` `\|` `\\`; any other backslash is literal. */
export function unescapeValue(text: string): string {
  return text.includes('\\') ? text.replace(/\\([,$|\\])/g, '$1') : text;
}

/** Escapes any text so that it is a literal value (search.html#escaping). */
export function escapeValue(text: string): string {
  return text.replace(/[\\,|$]/g, '\\$&');
}
