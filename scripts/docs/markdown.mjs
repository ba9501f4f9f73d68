/** Parts of the generated pages. */

export const code = (text) => (text === '' ? '' : `\`${text}\``);

/** A text in a cell of a table: one line, without what would end the cell or begin an element. */
export const cell = (text) =>
  text
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll('{{', '&lbrace;&lbrace;')
    .replace(/\s+/g, ' ')
    .trim();

/** Code in a cell; a vertical line in it would end the cell. */
export const codeCell = (text) => code(text.replaceAll('|', '\\|'));

export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** The first sentence of a text of HL7, without links and emphasis. */
export function firstSentence(text) {
  const plain = text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*?|\r/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  const [sentence = plain] = /^.*?[.!?](?= [A-Z]|$)(?<!e\.g\.|i\.e\.)/.exec(plain) ?? [];
  return sentence.replace(/\.$/, '');
}
