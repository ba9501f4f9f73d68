/** The concepts and properties of a code system. */
import { Badge, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { numberOf, objectsOf, textOf, type JsonObject } from '../../api/json';
import { countConcepts, isInTables, readConcepts } from '../../fhir/concepts';
import { Part } from '../../layout/heading';
import type { Space } from '../../place';
import { texts } from '../../texts';
import { ConceptDetails } from './concept-details';
import type { ConceptPlace } from './concept-row';
import { ConceptSearch } from './concept-search';
import { KnownUrl } from './known-url';
import { HowToLoad } from './not-loaded';
import classes from './terminology.module.css';
import { Versions } from './versions';

const { terminology } = texts;

export interface DefinitionViewProps {
  readonly space: Space;
  readonly value: JsonObject;
}

export function CodeSystemView({ space, value }: DefinitionViewProps) {
  const [parameters] = useSearchParams();
  const concepts = useMemo(() => readConcepts(value), [value]);
  const areInTables = isInTables(value);
  const count = areInTables ? numberOf(value['count']) : countConcepts(concepts);
  const valueSet = textOf(value['valueSet']);
  const place: ConceptPlace = {
    space,
    id: textOf(value['id']) ?? '',
    system: { url: textOf(value['url']) ?? '', version: textOf(value['version']) ?? '' },
    chosen: parameters.get('code') ?? '',
  };
  const [first] = useState(place.chosen);
  const isKnown = areInTables || concepts.length > 0;
  return (
    <>
      <div className={isKnown ? classes['beside'] : ''}>
        <Part
          title={terminology.concepts}
          beside={
            <>
              {count === undefined ? null : (
                <Text size="sm" c="dimmed">
                  {terminology.conceptCount(count.toLocaleString())}
                </Text>
              )}
              {areInTables ? (
                <Badge variant="light" color="gray" c="inherit" tt="none">
                  {terminology.stored.tables}
                </Badge>
              ) : null}
              <Badge variant="light" color="gray" c="inherit" tt="none">
                {terminology.content(textOf(value['content']) ?? '')}
              </Badge>
            </>
          }
        >
          {isKnown ? (
            <ConceptSearch place={place} concepts={areInTables ? undefined : concepts} />
          ) : (
            <>
              <Text size="sm">{terminology.noConcepts}</Text>
              <HowToLoad />
            </>
          )}
        </Part>
        {!isKnown ? null : place.chosen === '' ? (
          <Text size="sm" c="dimmed">
            {terminology.choose}
          </Text>
        ) : (
          <ConceptDetails place={place} value={value} first={first} />
        )}
      </div>
      {isKnown ? <Versions place={place} /> : null}
      {valueSet === undefined ? null : (
        <Text size="sm">
          {terminology.itsValueSet}: <KnownUrl space={space} kind="ValueSet" url={valueSet} />
        </Text>
      )}
      <PropertyList value={value} />
    </>
  );
}

function PropertyList({ value }: { readonly value: JsonObject }) {
  const properties = objectsOf(value['property']);
  if (properties.length === 0) return null;
  return (
    <Part title={terminology.itsProperties}>
      <Stack gap={4} component="ul" m={0} pl="md">
        {properties.map((property) => {
          const code = textOf(property['code']) ?? '';
          return (
            <Text key={code} size="sm" component="li">
              <span className={classes['code']}>{code}</span> {textOf(property['description'])}
            </Text>
          );
        })}
      </Stack>
    </Part>
  );
}
