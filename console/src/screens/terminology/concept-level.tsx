/** One level of a hierarchy whose concepts are in tables: it is loaded when a person opens it, page by page. */
import { Button, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { countBelow, listConcepts } from '../../api/concepts';
import type { ListedCode } from '../../fhir/terminology';
import { FailureView } from '../../layout/failure-view';
import { Loading } from '../../layout/loaded';
import { texts } from '../../texts';
import { ConceptRow, type ConceptPlace } from './concept-row';
import classes from './terminology.module.css';

const { terminology } = texts;
const PAGE = 50;

export interface ConceptLevelProps {
  readonly place: ConceptPlace;
  /** The concept that it is below; '': the concepts at the top. */
  readonly parent: string;
}

export function ConceptLevel({ place, parent }: ConceptLevelProps) {
  const { space, system } = place;
  const level = useInfiniteQuery({
    queryKey: ['concept-level', space, system, parent],
    queryFn: ({ pageParam: offset, signal }) =>
      listConcepts(space, system, { parent, offset, count: PAGE }, signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const shown = pages.reduce((sum, { codes }) => sum + codes.length, 0);
      return last.codes.length < PAGE || shown === last.total ? undefined : shown;
    },
    retry: false,
  });
  if (level.isPending) return <Loading />;
  if (level.isError) return <FailureView error={level.error} retry={() => void level.refetch()} />;
  if (level.data.pages[0]?.codes.length === 0) {
    return (
      <Text size="sm" role="status">
        {parent === '' ? terminology.nothingOnTop : terminology.nothingBelow}
      </Text>
    );
  }
  return (
    <>
      <ul className={classes['tree']}>
        {level.data.pages.map(({ codes }, index) => (
          <LevelPage key={index} place={place} codes={codes} />
        ))}
      </ul>
      {level.hasNextPage ? (
        <Button
          size="xs"
          variant="default"
          mt="xs"
          style={{ alignSelf: 'start' }}
          loading={level.isFetchingNextPage}
          onClick={() => void level.fetchNextPage()}
        >
          {terminology.moreConcepts}
        </Button>
      ) : null}
    </>
  );
}

/** How many are below each concept is known later; until then each can be opened. */
function LevelPage({
  place,
  codes,
}: {
  readonly place: ConceptPlace;
  readonly codes: readonly ListedCode[];
}) {
  const { space, system } = place;
  const named = codes.map(({ code }) => code);
  const counts = useQuery({
    queryKey: ['concepts-below', space, system, named],
    queryFn: ({ signal }) => countBelow(space, system, named, signal),
    retry: false,
  });
  return codes.map((concept) => {
    const below = counts.data?.get(concept.code);
    return (
      <ConceptRow
        key={concept.code}
        place={place}
        concept={concept}
        note={below === undefined || below === 0 ? undefined : terminology.below(below.toLocaleString())}
        below={below === 0 ? undefined : () => <ConceptLevel place={place} parent={concept.code} />}
      />
    );
  });
}
