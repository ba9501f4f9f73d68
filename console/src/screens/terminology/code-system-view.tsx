/** The concepts and properties of a code system. */
import { Badge, Stack, Text, TextInput } from '@mantine/core';
import { useDeferredValue, useMemo, useState } from 'react';
import { objectsOf, textOf, type JsonObject } from '../../api/json';
import { countConcepts, findConcepts, readConcepts, type Concept } from '../../fhir/concepts';
import { Part } from '../../layout/heading';
import type { Space } from '../../place';
import { texts } from '../../texts';
import { ConceptTree } from './concept-tree';
import { KnownUrl } from './known-url';
import { HowToLoad } from './not-loaded';
import classes from './terminology.module.css';

const { terminology } = texts;
/** Concepts that a filter shows at most. */
const FOUND = 200;

export interface DefinitionViewProps {
  readonly space: Space;
  readonly value: JsonObject;
}

export function CodeSystemView({ space, value }: DefinitionViewProps) {
  const concepts = useMemo(() => readConcepts(value), [value]);
  const valueSet = textOf(value['valueSet']);
  return (
    <>
      <Part
        title={terminology.concepts}
        beside={
          <>
            <Text size="sm" c="dimmed">
              {terminology.conceptCount(countConcepts(concepts).toLocaleString())}
            </Text>
            <Badge variant="light" color="gray" c="inherit" tt="none">
              {terminology.content(textOf(value['content']) ?? '')}
            </Badge>
          </>
        }
      >
        {concepts.length === 0 ? (
          <>
            <Text size="sm">{terminology.noConcepts}</Text>
            <HowToLoad />
          </>
        ) : (
          <Concepts space={space} system={textOf(value['url']) ?? ''} concepts={concepts} />
        )}
      </Part>
      {valueSet === undefined ? null : (
        <Text size="sm">
          {terminology.itsValueSet}: <KnownUrl space={space} kind="ValueSet" url={valueSet} />
        </Text>
      )}
      <PropertyList value={value} />
    </>
  );
}

function Concepts({
  space,
  system,
  concepts,
}: {
  readonly space: Space;
  readonly system: string;
  readonly concepts: readonly Concept[];
}) {
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text).trim();
  const found = useMemo(
    () => (wanted === '' ? concepts : findConcepts(concepts, wanted, FOUND)),
    [concepts, wanted],
  );
  return (
    <Stack gap="xs">
      <TextInput
        type="search"
        aria-label={terminology.filterConcepts}
        placeholder={terminology.filterConcepts}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        w={{ base: '100%', xs: 360 }}
      />
      {found.length === 0 ? (
        <Text size="sm" role="status">
          {terminology.noMatchingConcept}
        </Text>
      ) : null}
      {wanted !== '' && found.length === FOUND ? (
        <Text size="sm" c="dimmed" role="status">
          {terminology.limited(FOUND)}
        </Text>
      ) : null}
      <ConceptTree key={wanted} space={space} system={system} concepts={found} />
    </Stack>
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
