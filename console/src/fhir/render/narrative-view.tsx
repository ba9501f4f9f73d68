/** The text that the author of a record has written for people, folded away. */
import { Collapse, UnstyledButton } from '@mantine/core';
import { useDisclosure, useId } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '../../layout/icons/icons';
import { useMemo } from 'react';
import { textOf, type JsonObject } from '../../api/json';
import { texts } from '../../texts';
import { safeNarrative } from '../narrative';
import classes from './render.module.css';
import { useRenderSpace } from './render-space';

export function NarrativeView({ value }: { readonly value: JsonObject }) {
  const space = useRenderSpace();
  const [isOpen, { toggle }] = useDisclosure(false);
  const id = useId();
  const div = textOf(value['div']) ?? '';
  const html = useMemo(() => safeNarrative(div, space), [div, space]);
  const status = textOf(value['status']);
  return (
    <div>
      <UnstyledButton onClick={toggle} aria-expanded={isOpen} aria-controls={id} fz="sm">
        {isOpen ? <IconChevronDown size={14} aria-hidden /> : <IconChevronRight size={14} aria-hidden />}{' '}
        {isOpen ? texts.record.hideNarrative : texts.record.showNarrative}
        {status === undefined ? '' : ` (${status})`}
      </UnstyledButton>
      <Collapse expanded={isOpen} id={id}>
        <div className={classes['narrative']} dangerouslySetInnerHTML={{ __html: html }} />
      </Collapse>
    </div>
  );
}
