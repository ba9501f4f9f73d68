/** Concepts that a search has found, each with the way to it. */
import { Anchor, Text } from '@mantine/core';
import { Fragment } from 'react';
import { Link } from 'react-router';
import type { Named, Standing } from '../../api/concepts';
import type { Designation } from '../../fhir/concepts';
import { conceptPath } from '../../place';
import { texts } from '../../texts';
import { ConceptName, type ConceptPlace, type ConceptRowProps } from './concept-row';
import classes from './terminology.module.css';

const { terminology } = texts;

export interface Hit {
  readonly concept: ConceptRowProps['concept'];
  /** The term that has the words, where the display does not. */
  readonly term: Designation | undefined;
  /** Undefined: not loaded yet. */
  readonly standing: Standing | undefined;
}

export function ConceptHits({
  place,
  hits,
}: {
  readonly place: ConceptPlace;
  readonly hits: readonly Hit[];
}) {
  return (
    <ul className={classes['tree']} aria-label={terminology.hitsList}>
      {hits.map(({ concept, term, standing }) => (
        <li key={concept.code} className={classes['hit']}>
          <ConceptName place={place} concept={concept} />
          {term === undefined ? null : (
            <Text size="sm" className={classes['words'] ?? ''}>
              <span lang={term.language}>{term.value}</span>{' '}
              <Text span size="xs" c="dimmed">
                {term.language}
              </Text>
            </Text>
          )}
          {standing === undefined ? null : <Way place={place} standing={standing} />}
        </li>
      ))}
    </ul>
  );
}

function Way({
  place,
  standing: { path, others },
}: {
  readonly place: ConceptPlace;
  readonly standing: Standing;
}) {
  if (path.length === 0) {
    return (
      <Text size="xs" c="dimmed">
        {terminology.onTop}
      </Text>
    );
  }
  return (
    <Text size="xs" c="dimmed" component="div" className={classes['words'] ?? ''}>
      {terminology.path}:{' '}
      {path.map((above, index) => (
        <Fragment key={above.code}>
          {index === 0 ? null : ' › '}
          <ConceptLink place={place} concept={above} />
        </Fragment>
      ))}
      {others === 0 ? null : ` ${terminology.otherPaths(others)}`}
    </Text>
  );
}

/** A concept by its name. */
export function ConceptLink({ place, concept }: { readonly place: ConceptPlace; readonly concept: Named }) {
  return (
    <Anchor
      component={Link}
      to={conceptPath(place.space, place.id, concept.code)}
      inherit
      underline="always"
      title={concept.code}
    >
      {concept.display === '' ? concept.code : concept.display}
    </Anchor>
  );
}
