/** The program of the GraphiQL page. Bundled by scripts/build-graphiql.mjs; the page is src/gateway/graphiql.ts. */
import { GraphiQL } from 'graphiql';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import 'graphiql/style.css';
import './page.css';
import { isInConsole, useTheme } from './console.mjs';
import { examples } from './examples.mjs';
import { fetcher } from './fetcher.mjs';
import { Pickers } from './pickers.mjs';
import { place } from './place.mjs';

/* global WORKERS, Worker, localStorage */
globalThis.MonacoEnvironment = {
  getWorker: (_id, label) => new Worker(new URL(WORKERS[label] ?? WORKERS.editor, import.meta.url)),
};

/** Separates the stored state of tenants. */
function createStorage() {
  const prefix = `${place.tenant}/${place.release}/`;
  return {
    get length() {
      return localStorage.length;
    },
    getItem: (name) => localStorage.getItem(prefix + name),
    setItem: (name, value) => localStorage.setItem(prefix + name, value),
    removeItem: (name) => localStorage.removeItem(prefix + name),
    clear() {
      for (const name of Object.keys(localStorage))
        if (name.startsWith(prefix)) localStorage.removeItem(name);
    },
  };
}

const storage = createStorage();

function Page() {
  const forcedTheme = useTheme();
  return createElement(
    GraphiQL,
    {
      fetcher,
      storage,
      defaultTabs: examples,
      forcedTheme,
      shouldPersistHeaders: false,
      // The server's tests validate it.
      dangerouslyAssumeSchemaIsValid: true,
    },
    // The console shows the tenant and the release itself.
    createElement(GraphiQL.Logo, null, isInConsole ? null : createElement(Pickers)),
  );
}

createRoot(document.getElementById('graphiql')).render(createElement(Page));
