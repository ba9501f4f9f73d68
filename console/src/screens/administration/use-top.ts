import { useEffect } from 'react';

/** Scrolls to the beginning when a screen shows a result in place of its form. */
export function useTop(): void {
  useEffect(() => {
    window.scrollTo({ top: 0 });
  }, []);
}
