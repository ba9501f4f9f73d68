import { useContext, useEffect } from 'react';
import { texts } from '../texts';
import { withSigns } from './control-signs';
import { CurrentScreen } from './current-screen';

/** The title that the table of screens gives to this one. */
export function useScreenTitle(): string {
  const { screen, section } = useContext(CurrentScreen);
  return screen?.title ?? section.link?.title ?? '';
}

/** Names the screen in the title of the browser's tab; an empty text leaves the product alone. */
export function useTitle(text: string): void {
  useEffect(() => {
    document.title = text === '' ? texts.common.product : `${withSigns(text)} · ${texts.common.product}`;
  }, [text]);
}
