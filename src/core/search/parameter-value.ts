/** Splits a raw value at every `separator` that no backslash protects (search.html#escaping); parts stay escaped. */
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

/** Takes the backslashes from `\,` `\$` `\|` `\\`; any other backslash stands for itself. */
export function unescapeValue(text: string): string {
  return text.includes('\\') ? text.replace(/\\([,$|\\])/g, '$1') : text;
}

/** Any text as a value that means it (search.html#escaping). */
export function escapeValue(text: string): string {
  return text.replace(/[\\,|$]/g, '\\$&');
}
