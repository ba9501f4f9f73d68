/**
 * The element that draws a Mermaid diagram from its text. Mermaid is loaded when the first diagram is shown; a reader
 * without scripts sees the text.
 */
let count = 0;

async function draw(element, text) {
  const { default: mermaid } = await import('mermaid');
  const isDark = document.documentElement.classList.contains('dark');
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme: isDark ? 'dark' : 'neutral',
    // A wide diagram is scrolled; made smaller, its text could not be read.
    flowchart: { useMaxWidth: false },
  });
  count += 1;
  const { svg } = await mermaid.render(`diagram-${count}`, text);
  element.innerHTML = svg;
}

export function defineDiagram() {
  if (window.customElements.get('andiron-diagram') !== undefined) return;
  window.customElements.define(
    'andiron-diagram',
    class extends window.HTMLElement {
      #scheme;

      connectedCallback() {
        const text = this.textContent;
        let drawnDark;
        const drawInScheme = () => {
          const isDark = document.documentElement.classList.contains('dark');
          if (isDark === drawnDark) return;
          drawnDark = isDark;
          void draw(this, text);
        };
        drawInScheme();
        this.#scheme = new window.MutationObserver(drawInScheme);
        this.#scheme.observe(document.documentElement, { attributeFilter: ['class'] });
      }

      disconnectedCallback() {
        this.#scheme.disconnect();
      }
    },
  );
}
