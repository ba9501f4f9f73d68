/** Finds concepts of a code system by words of any language, and shows all as a tree while nothing is searched. */
import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import { listConcepts, loadStandings } from '../../api/concepts';
import { findConcepts, matchedDesignation, pathTo, type Concept } from '../../fhir/concepts';
import type { ListedCode } from '../../fhir/terminology';
import { FailureView } from '../../layout/failure-view';
import { Loading } from '../../layout/loaded';
import { texts } from '../../texts';
import { ConceptHits } from './concept-hits';
import { ConceptLevel } from './concept-level';
import type { ConceptPlace } from './concept-row';
import { ConceptTree } from './concept-tree';

const { terminology } = texts;
/** Concepts that a search in a resource shows at most. */
const FOUND = 200;
/** Matches of one page. */
const PAGE = 20;
const PAUSE_MS = 250;

/** `concepts`: those of the resource; undefined: they are in tables. */
export function ConceptSearch({
  place,
  concepts,
}: {
  readonly place: ConceptPlace;
  readonly concepts: readonly Concept[] | undefined;
}) {
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text).trim();
  const [words] = useDebouncedValue(wanted, PAUSE_MS);
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
      {concepts === undefined ? (
        words === '' ? (
          <ConceptLevel place={place} parent="" />
        ) : (
          <FoundInTables place={place} words={words} />
        )
      ) : wanted === '' ? (
        <ConceptTree place={place} concepts={concepts} />
      ) : (
        <FoundInResource place={place} concepts={concepts} words={wanted} />
      )}
    </Stack>
  );
}

function FoundInResource({
  place,
  concepts,
  words,
}: {
  readonly place: ConceptPlace;
  readonly concepts: readonly Concept[];
  readonly words: string;
}) {
  const hits = useMemo(
    () =>
      findConcepts(concepts, words, FOUND).map((concept) => ({
        concept,
        term: matchedDesignation(concept, words),
        standing: { path: pathTo(concept), others: Math.max(concept.parents.length - 1, 0) },
      })),
    [concepts, words],
  );
  return (
    <>
      <Count
        words={
          hits.length === FOUND ? terminology.limited(FOUND) : terminology.hits(hits.length.toLocaleString())
        }
        isNone={hits.length === 0}
      />
      <ConceptHits place={place} hits={hits} />
    </>
  );
}

function FoundInTables({ place, words }: { readonly place: ConceptPlace; readonly words: string }) {
  const { space, system } = place;
  const found = useInfiniteQuery({
    queryKey: ['concepts-found', space, system, words],
    queryFn: ({ pageParam: offset, signal }) =>
      listConcepts(space, system, { words, offset, count: PAGE }, signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) =>
      last.codes.length < PAGE || last.total === pages.length * PAGE ? undefined : pages.length * PAGE,
    retry: false,
  });
  if (found.isPending) return <Loading />;
  if (found.isError) return <FailureView error={found.error} retry={() => void found.refetch()} />;
  const [first] = found.data.pages;
  return (
    <>
      <Count
        words={
          first?.total === undefined ? terminology.manyHits : terminology.hits(first.total.toLocaleString())
        }
        isNone={first?.codes.length === 0}
      />
      {found.data.pages.map(({ codes }, index) =>
        codes.length === 0 ? null : <HitPage key={index} place={place} words={words} codes={codes} />,
      )}
      {found.hasNextPage ? (
        <Button
          size="xs"
          variant="default"
          style={{ alignSelf: 'start' }}
          loading={found.isFetchingNextPage}
          onClick={() => void found.fetchNextPage()}
        >
          {terminology.moreHits}
        </Button>
      ) : null}
    </>
  );
}

/** The ways to the matches are shown when they are there. */
function HitPage({
  place,
  words,
  codes,
}: {
  readonly place: ConceptPlace;
  readonly words: string;
  readonly codes: readonly ListedCode[];
}) {
  const { space, system } = place;
  const named = codes.map(({ code }) => code);
  const standings = useQuery({
    queryKey: ['standings', space, system, named],
    queryFn: ({ signal }) => loadStandings(space, system, named, signal),
    retry: false,
  });
  return (
    <>
      <ConceptHits
        place={place}
        hits={codes.map((concept) => ({
          concept,
          term: matchedDesignation(concept, words),
          standing: standings.data?.get(concept.code),
        }))}
      />
      {standings.isError ? <FailureView error={standings.error} /> : null}
    </>
  );
}

function Count({ words, isNone }: { readonly words: string; readonly isNone: boolean }) {
  return (
    <Text size="sm" {...(isNone ? {} : { c: 'dimmed' })} role="status">
      {isNone ? terminology.noMatchingConcept : words}
    </Text>
  );
}
