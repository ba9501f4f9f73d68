/** The search of the header: a button that looks like a field, and its keys. */
import { Button, Kbd, Text } from '@mantine/core';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useLocation } from 'react-router';
import { texts } from '../../texts';
import type { Section } from '../current-screen';
import { ErrorBoundary } from '../error-boundary';
import { IconSearch } from '../icons/icons';
import classes from './quick-search.module.css';

const { search: words } = texts.common;
const SearchDialog = lazy(() => import('./search-dialog'));
const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Ctrl-K, on a Mac Cmd-K: there Ctrl-K deletes the rest of a line. */
function isShortcut({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  const [wanted, other] = IS_MAC ? [metaKey, ctrlKey] : [ctrlKey, metaKey];
  return key.toLowerCase() === 'k' && wanted && !other && !altKey && !shiftKey;
}

/** An editor has keys of its own, and a dialog is answered before anything else. */
function isTaken({ target, defaultPrevented }: KeyboardEvent): boolean {
  const editor = target instanceof Element ? target.closest('.cm-content') : null;
  const isWritten = editor !== null && editor.getAttribute('aria-readonly') !== 'true';
  return defaultPrevented || isWritten || document.querySelector('[aria-modal="true"]') !== null;
}

export function QuickSearch({ sections }: { readonly sections: readonly Section[] }) {
  /** Undefined: it was never open, so that nothing of it has loaded. */
  const [state, setState] = useState<'open' | 'closed' | 'chosen'>();
  const { pathname } = useLocation();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (!isShortcut(event) || isTaken(event)) return;
      event.preventDefault();
      setState('open');
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <>
      <Button
        size="xs"
        variant="default"
        className={classes['field'] ?? ''}
        aria-keyshortcuts={IS_MAC ? 'Meta+K' : 'Control+K'}
        aria-haspopup="dialog"
        onClick={() => setState('open')}
      >
        <IconSearch size={14} aria-hidden />
        <Text size="xs" className={classes['hint'] ?? ''}>
          {words.title}
        </Text>
        <Kbd size="xs" className={classes['keys'] ?? ''} aria-hidden>
          {IS_MAC ? '⌘ K' : 'Ctrl K'}
        </Kbd>
      </Button>
      {state === undefined ? null : (
        <ErrorBoundary place={pathname}>
          <Suspense fallback={null}>
            <SearchDialog
              sections={sections}
              isOpen={state === 'open'}
              returnsFocus={state !== 'chosen'}
              onClose={() => setState('closed')}
              onChosen={() => setState('chosen')}
            />
          </Suspense>
        </ErrorBoundary>
      )}
    </>
  );
}
