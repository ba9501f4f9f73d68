/** The program of the GraphiQL page. Bundled by scripts/build-graphiql.mjs; the page is src/gateway/graphiql.ts. */
import { GraphiQL } from 'graphiql';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import 'graphiql/style.css';
import './page.css';
import { examples } from './examples.mjs';

/* global WORKERS, Worker, localStorage */
globalThis.MonacoEnvironment = {
  getWorker: (_id, label) => new Worker(new URL(WORKERS[label] ?? WORKERS.editor, import.meta.url)),
};

const root = document.getElementById('graphiql');
const { tenant, release } = root.dataset;

/** What is remembered of one tenant is not shown under another. */
function createStorage() {
  const prefix = `${tenant}/${release}/`;
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

/** Decimals as they were sent: a browser that can, shows 1.00 and not 1. */
function keepDigits(_name, value, context) {
  return typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
    ? JSON.rawJSON(context.source)
    : value;
}

/** For a moment after a change of tabs GraphiQL still names the operation of the tab before. */
function withoutStranger({ operationName, ...request }) {
  return operationName && request.query.includes(operationName) ? { ...request, operationName } : request;
}

async function fetcher(request, options) {
  const response = await fetch(window.location.pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...options?.headers },
    body: JSON.stringify(withoutStranger(request)),
  });
  return JSON.parse(await response.text(), JSON.rawJSON ? keepDigits : undefined);
}

createRoot(root).render(
  createElement(
    GraphiQL,
    { fetcher, storage: createStorage(), defaultTabs: examples, shouldPersistHeaders: false },
    createElement(
      GraphiQL.Logo,
      null,
      createElement('span', { className: 'andiron-name' }, 'Andiron'),
      createElement('span', { className: 'andiron-place' }, `${tenant} · ${release.toUpperCase()}`),
    ),
  ),
);
