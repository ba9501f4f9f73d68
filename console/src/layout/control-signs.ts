/**
 * Characters that turn the direction of a text around are shown as signs, so that nothing reads otherwise than it is
 * stored. What people copy from a screen has the signs too; JSON is copied as it is.
 */
const CONTROLS = /\p{Bidi_Control}/gu;

/** The sign of a character: `[U+202E]`. */
export function signOf(code: number): string {
  return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}

/** The text with signs in place of such characters. */
export function withSigns(text: string): string {
  return text.replaceAll(CONTROLS, (character) => signOf(character.codePointAt(0) ?? 0));
}

/** What people write into is left alone: fields have no texts inside, and an editor has signs of its own. */
const WRITTEN = 'textarea, [contenteditable]';

function show(node: Node): void {
  if (node instanceof Text) {
    const shown = withSigns(node.data);
    const isWritten = Boolean(node.parentElement?.closest(WRITTEN));
    if (shown !== node.data && !isWritten) node.data = shown;
    return;
  }
  const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) show(text);
}

/**
 * Shows the signs in all texts below an element, also in those that come later, before they are painted. Returns the
 * function that ends it.
 */
export function showSigns(root: Element): () => void {
  const observer = new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes)
      if (type === 'characterData') show(target);
      else for (const added of addedNodes) show(added);
  });
  observer.observe(root, { subtree: true, childList: true, characterData: true });
  show(root);
  return () => observer.disconnect();
}
