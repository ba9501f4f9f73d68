/** Diagrams of Mermaid, which GitHub draws by itself, on the site. */

/** The kinds of diagrams that the pages use, with their modules in Mermaid; the site has no other. */
const KINDS = { flowchart: 'flowDiagram', sequenceDiagram: 'sequenceDiagram' };
const NEEDED = new RegExp(`/(?:chunk|dagre|sizeCapture|${Object.values(KINDS).join('|')})-[^/]+$`);
const ABSENT = '\0absent-diagram';

/** Turns a block of Mermaid into the element of theme/diagram.mjs. */
export function showDiagrams(markdown) {
  const showCode = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, index, ...others) => {
    const { info, content } = tokens[index];
    if (info.trim() !== 'mermaid') return showCode(tokens, index, ...others);
    const [kind = ''] = content.split(/\s/);
    if (!Object.hasOwn(KINDS, kind))
      throw new Error(`The site draws no '${kind}', only ${Object.keys(KINDS).join(', ')}: see diagrams.mjs`);
    return `<andiron-diagram v-pre><pre>${markdown.utils.escapeHtml(content)}</pre></andiron-diagram>`;
  };
}

/** Leaves the modules of other diagrams, which are most of Mermaid, out of the site. */
export const onlyOurDiagrams = {
  name: 'only-our-diagrams',
  enforce: 'pre',
  resolveId(source, importer = '') {
    if (!importer.includes('/mermaid/dist/')) return undefined;
    const isOfMermaid = source.startsWith('.') && source.endsWith('.mjs');
    return source === 'katex' || (isOfMermaid && !NEEDED.test(source)) ? ABSENT : undefined;
  },
  load: (id) => (id === ABSENT ? 'export default {};' : undefined),
};
