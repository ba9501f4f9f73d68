/** JSON with a line for each value, also a beginning of it that was cut off somewhere. No digit changes. */

const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],]|:|[^\s{}[\]:,"]+/g;
/** An editor draws a line as a whole; a longer value would make it slow. */
const LONGEST_VALUE = 5_000;

/** `shorten`: what stands in place of the rest of a long value. */
export function layOut(text: string, shorten: (left: number) => string): string {
  const lines: string[] = [];
  let depth = 0;
  let line = '';
  const end = (): void => {
    if (line.trim() !== '') lines.push(line);
    line = '  '.repeat(depth);
  };
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') {
      line += token;
      depth++;
      end();
    } else if (token === '}' || token === ']') {
      depth = Math.max(0, depth - 1);
      // An empty one stays on its line.
      const opening = token === '}' ? '{' : '[';
      if (line.trim() === '' && lines.at(-1)?.endsWith(opening) === true)
        line = `${lines.pop() ?? ''}${token}`;
      else {
        end();
        line += token;
      }
    } else if (token === ',') {
      line += token;
      end();
    } else if (token === ':') line += ': ';
    else
      line +=
        token.length > LONGEST_VALUE
          ? `${token.slice(0, LONGEST_VALUE)}${shorten(token.length - LONGEST_VALUE)}`
          : token;
  }
  end();
  return lines.join('\n');
}

/** Text that is no JSON, with long lines cut. */
export function cutLines(text: string, shorten: (left: number) => string): string {
  return text
    .split('\n')
    .map((line) =>
      line.length > LONGEST_VALUE
        ? `${line.slice(0, LONGEST_VALUE)}${shorten(line.length - LONGEST_VALUE)}`
        : line,
    )
    .join('\n');
}
