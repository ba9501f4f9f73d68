/** The name of an element as words: `birthDate` is "Birth date". */
export function humanize(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[-_]+/g, ' ')
    .trim()
    .split(' ')
    .map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))
    .map((word) => ABBREVIATIONS.get(word) ?? word)
    .join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const ABBREVIATIONS = new Map([
  ['id', 'ID'],
  ['url', 'URL'],
  ['uri', 'URI'],
  ['udi', 'UDI'],
]);
