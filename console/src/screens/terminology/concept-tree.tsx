/** Concepts as a tree: what is below a concept is drawn when a person opens it, and long lists in parts. */
import { ActionIcon, Anchor, Button, Text } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '../../layout/icons/icons';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Concept } from '../../fhir/concepts';
import { CopyIcon } from '../../layout/copy';
import { codePath, type Space } from '../../place';
import { texts } from '../../texts';
import classes from './terminology.module.css';

const { terminology } = texts;
const AT_ONCE = 100;
/** A tree of so few concepts is open at once. */
const FEW = 12;

export interface ConceptTreeProps {
  readonly space: Space;
  readonly system: string;
  readonly concepts: readonly Concept[];
}

export function ConceptTree({ space, system, concepts }: ConceptTreeProps) {
  const [limit, setLimit] = useState(AT_ONCE);
  const rest = concepts.length - limit;
  return (
    <>
      <ul className={classes['tree']}>
        {concepts.slice(0, limit).map((concept, index) => (
          // A code may stand in several places.
          <ConceptRow
            key={`${index}/${concept.code}`}
            space={space}
            system={system}
            concept={concept}
            isOpenFirst={concepts.length <= FEW && concept.children.length <= FEW}
          />
        ))}
      </ul>
      {rest > 0 ? (
        <Button
          size="xs"
          variant="default"
          mt="xs"
          style={{ alignSelf: 'start' }}
          onClick={() => setLimit(limit + AT_ONCE)}
        >
          {terminology.showMore(Math.min(AT_ONCE, rest))}
        </Button>
      ) : null}
    </>
  );
}

function ConceptRow({
  space,
  system,
  concept,
  isOpenFirst,
}: Omit<ConceptTreeProps, 'concepts'> & { readonly concept: Concept; readonly isOpenFirst: boolean }) {
  const { code, display, definition, children } = concept;
  const [isOpen, setOpen] = useState(isOpenFirst);
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <li>
      <div className={classes['concept']}>
        {children.length === 0 ? (
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
          <Text size="sm" className={classes['words'] ?? ''}>
            <Anchor
              component={Link}
              to={codePath(space, system, code)}
              size="sm"
              className={classes['code'] ?? ''}
            >
              {code}
            </Anchor>{' '}
            {display}
          </Text>
          {definition === '' || definition === display ? null : (
            <Text size="xs" c="dimmed" lineClamp={2} title={definition}>
              {definition}
            </Text>
          )}
        </div>
        <CopyIcon value={code} what={code} />
      </div>
      {isOpen && children.length > 0 ? (
        <ConceptTree space={space} system={system} concepts={children} />
      ) : null}
    </li>
  );
}
