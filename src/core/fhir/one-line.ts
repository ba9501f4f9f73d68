/** A line feed in JSON is white space between values, because strings escape it; so it can be replaced. */
export function oneLine(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]/g, ' ') : text;
}
