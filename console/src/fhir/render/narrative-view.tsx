/** The text that the author of a record has written for people, folded away. */
import { Collapse, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure, useId } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '../../layout/icons/icons';
import { useMemo } from 'react';
import { textOf, type JsonObject } from '../../api/json';
import { texts } from '../../texts';
import { safeNarrative } from '../narrative';
import classes from './render.module.css';
import { useRenderSpace } from './render-space';

/** Characters; to make a longer one safe would stop the page. */
const LONGEST = 100_000;

export function NarrativeView({ value }: { readonly value: JsonObject }) {
  const space = useRenderSpace();
  const [isOpen, { toggle }] = useDisclosure(false);
  const id = useId();
  const div = textOf(value['div']) ?? '';
  const isTooLong = div.length > LONGEST;
  const html = useMemo(
    () => (isOpen && !isTooLong ? safeNarrative(div, space) : ''),
    [isOpen, isTooLong, div, space],
  );
  const status = textOf(value['status']);
  return (
    <div>
      <UnstyledButton onClick={toggle} aria-expanded={isOpen} aria-controls={id} fz="sm">
        {isOpen ? <IconChevronDown size={14} aria-hidden /> : <IconChevronRight size={14} aria-hidden />}{' '}
        {isOpen ? texts.record.hideNarrative : texts.record.showNarrative}
        {status === undefined ? '' : ` (${status})`}
      </UnstyledButton>
      <Collapse expanded={isOpen} id={id}>
        {isTooLong ? (
          <Text size="sm">{texts.record.narrativeTooLong}</Text>
        ) : (
          <div className={classes['narrative']} dangerouslySetInnerHTML={{ __html: html }} />
        )}
      </Collapse>
    </div>
  );
}
