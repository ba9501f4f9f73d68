const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Returns the same JSON text with line breaks and two spaces per level. It works on the text, so that decimals keep
 * their digits and members their order. The input must be valid JSON. Cost: one pass over the characters.
 */
export function indentJson(text: string): string {
  const pieces: string[] = [];
  let depth = 0;
  let isJustOpened = false;
  let index = 0;
  while (index < text.length) {
    const character = text.charAt(index);
    const end = endOfToken(text, index);
    if (character === '}' || character === ']') {
      depth -= 1;
      if (!isJustOpened) pieces.push(lineBreak(depth));
      isJustOpened = false;
      pieces.push(character);
    } else if (character > ' ') {
      if (isJustOpened) pieces.push(lineBreak(depth));
      isJustOpened = character === '{' || character === '[';
      if (isJustOpened) depth += 1;
      pieces.push(text.slice(index, end));
      if (character === ',') pieces.push(lineBreak(depth));
      else if (character === ':') pieces.push(' ');
    }
    index = end;
  }
  return pieces.join('');
}

/** Index after the token that begins at `start`: a string, a literal, or one character. */
function endOfToken(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first !== QUOTE) {
    let end = start + 1;
    if (isLiteral(first)) while (end < text.length && isLiteral(text.charCodeAt(end))) end += 1;
    return end;
  }
  let end = start + 1;
  for (;;) {
    const code = text.charCodeAt(end);
    if (code === QUOTE) return end + 1;
    end += code === BACKSLASH ? 2 : 1;
    if (end >= text.length) return text.length;
  }
}

/** True for the characters of numbers, true, false and null: digits, letters, sign and point. */
function isLiteral(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x2b ||
    code === 0x2d ||
    code === 0x2e ||
    code === 0x45
  );
}

function lineBreak(depth: number): string {
  return `\n${'  '.repeat(depth)}`;
}
