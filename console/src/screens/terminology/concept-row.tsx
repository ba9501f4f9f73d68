/** A concept in a tree or list, with a button that shows what is below it. */
import { ActionIcon, Anchor, Badge, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { SystemVersion } from '../../api/concepts';
import { CopyIcon } from '../../layout/copy';
import { IconChevronDown, IconChevronRight } from '../../layout/icons/icons';
import { conceptPath, type Space } from '../../place';
import { texts } from '../../texts';
import classes from './terminology.module.css';

const { terminology } = texts;

/** The code system that is shown, and the concept of it that is chosen. */
export interface ConceptPlace {
  readonly space: Space;
  /** Of the CodeSystem. */
  readonly id: string;
  readonly system: SystemVersion;
  /** '': none. */
  readonly chosen: string;
}

export interface ConceptRowProps {
  readonly place: ConceptPlace;
  readonly concept: {
    readonly code: string;
    readonly display: string;
    readonly definition?: string;
    readonly isAbstract?: boolean;
    readonly isInactive?: boolean;
  };
  /** Stands after the display. */
  readonly note?: string | undefined;
  readonly isOpenFirst?: boolean;
  /** What is below it; undefined: nothing. */
  readonly below: (() => ReactNode) | undefined;
}

export function ConceptRow({ place, concept, note, isOpenFirst = false, below }: ConceptRowProps) {
  const { code, definition = '', display } = concept;
  const [isOpen, setOpen] = useState(isOpenFirst);
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <li>
      <div className={classes['concept']}>
        {below === undefined ? (
          <span />
        ) : (
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            aria-expanded={isOpen}
            aria-label={isOpen ? terminology.close(code) : terminology.open(code)}
            onClick={() => setOpen(!isOpen)}
          >
            <Chevron size={14} aria-hidden />
          </ActionIcon>
        )}
        <div>
          <ConceptName place={place} concept={concept} note={note} />
          {definition === '' || definition === display ? null : (
            <Text size="xs" c="dimmed" lineClamp={2} title={definition}>
              {definition}
            </Text>
          )}
        </div>
        <CopyIcon value={code} what={code} />
      </div>
      {isOpen ? below?.() : null}
    </li>
  );
}

/** The code as a link to its details, the display, and what is special about it. */
export function ConceptName({ place, concept, note }: Pick<ConceptRowProps, 'place' | 'concept' | 'note'>) {
  const { code, display, isAbstract = false, isInactive = false } = concept;
  return (
    <Text size="sm" component="div" className={classes['words'] ?? ''}>
      <Anchor
        component={Link}
        to={conceptPath(place.space, place.id, code)}
        size="sm"
        className={classes['code'] ?? ''}
        {...(code === place.chosen ? { 'aria-current': true } : {})}
      >
        {code}
      </Anchor>{' '}
      {display}
      {isAbstract ? <Mark text={terminology.abstract} /> : null}
      {isInactive ? <Mark text={terminology.inactive} /> : null}
      {note === undefined ? null : (
        <Text span size="xs" c="dimmed" ml={8}>
          {note}
        </Text>
      )}
    </Text>
  );
}

export function Mark({ text }: { readonly text: string }) {
  return (
    <Badge size="sm" variant="light" color="gray" c="inherit" tt="none" ml={8}>
      {text}
    </Badge>
  );
}
