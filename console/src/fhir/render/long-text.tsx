/** A text of any length: its beginning, and more of it when a person asks for it. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../../texts';
import classes from './render.module.css';

/** Characters: a page of a book, and then ten. */
const [FIRST, FURTHER] = [3_000, 30_000];

export function LongText({ text }: { readonly text: string }) {
  const [shown, setShown] = useState(FIRST);
  const isWhole = text.length <= shown;
  return (
    <>
      <span className={text.includes('\n') ? classes['long'] : undefined} dir="auto">
        {isWhole ? text : `${text.slice(0, shown)} …`}
      </span>
      {isWhole ? null : (
        <Button variant="default" size="compact-xs" ml={8} onClick={() => setShown(shown + FURTHER)}>
          {texts.record.moreOfText(shown, text.length)}
        </Button>
      )}
    </>
  );
}
