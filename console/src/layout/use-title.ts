import { useEffect } from 'react';
import { texts } from '../texts';

/** Names the screen in the title of the browser's tab; an empty text leaves the product alone. */
export function useTitle(text: string): void {
  useEffect(() => {
    document.title = text === '' ? texts.common.product : `${text} · ${texts.common.product}`;
  }, [text]);
}
