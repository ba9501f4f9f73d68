/** Concepts of a resource as a tree: what is below a concept is drawn when a person opens it, and long lists in parts. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Concept } from '../../fhir/concepts';
import { texts } from '../../texts';
import { ConceptRow, type ConceptPlace } from './concept-row';
import classes from './terminology.module.css';

const { terminology } = texts;
const AT_ONCE = 100;
/** A tree of so few concepts is open at once. */
const FEW = 12;

export interface ConceptTreeProps {
  readonly place: ConceptPlace;
  readonly concepts: readonly Concept[];
  /** Of a tree that is open at once: what it is below, because a hierarchy may be a circle. */
  readonly above?: readonly Concept[];
}

export function ConceptTree({ place, concepts, above = [] }: ConceptTreeProps) {
  const [limit, setLimit] = useState(AT_ONCE);
  const rest = concepts.length - limit;
  return (
    <>
      <ul className={classes['tree']}>
        {concepts.slice(0, limit).map((concept, index) => (
          // A code may stand in several places.
          <ConceptRow
            key={`${index}/${concept.code}`}
            place={place}
            concept={concept}
            isOpenFirst={concepts.length <= FEW && concept.children.length <= FEW && !above.includes(concept)}
            below={
              concept.children.length === 0
                ? undefined
                : () => <ConceptTree place={place} concepts={concept.children} above={[...above, concept]} />
            }
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
