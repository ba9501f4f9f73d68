/** Settings that the page takes from the console when it is shown inside of it (console/src/screens/graphiql-screen.tsx). */
import { useSyncExternalStore } from 'react';

/* global localStorage */

export const isInConsole = window.self !== window.top;

/** The key under which the console stores the chosen colors; a change is an event in all other documents. */
const COLORS = 'mantine-color-scheme-value';

function onChange(notify) {
  window.addEventListener('storage', notify);
  return () => window.removeEventListener('storage', notify);
}

function readTheme() {
  const colors = localStorage.getItem(COLORS);
  return colors === 'light' || colors === 'dark' ? colors : 'system';
}

/** The theme for GraphiQL; undefined: the person chooses it there. */
export function useTheme() {
  const theme = useSyncExternalStore(onChange, readTheme);
  return isInConsole ? theme : undefined;
}
