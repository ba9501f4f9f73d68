/** Gives the process the document and window of a browser. */
const { JSDOM } = require('jsdom');

const { window } = new JSDOM('<!doctype html><html data-root="/"><body></body></html>', {
  url: 'http://andiron.example/',
  pretendToBeVisual: true,
});

class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

// jsdom lays nothing out, so that no size changes and no query of media holds.
Object.assign(window, {
  ResizeObserver: NoObserver,
  matchMedia: (media) => ({
    media,
    matches: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }),
  scrollTo: () => undefined,
});
window.Element.prototype.scrollIntoView = () => undefined;

/** What Node.js has too, and the program is to take from the document. */
const OF_DOCUMENT = [
  'window',
  'navigator',
  'Event',
  'CustomEvent',
  'MouseEvent',
  'localStorage',
  'sessionStorage',
];

for (const name of Object.getOwnPropertyNames(window)) {
  if (name in globalThis && !OF_DOCUMENT.includes(name)) continue;
  const value = Reflect.get(window, name);
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
