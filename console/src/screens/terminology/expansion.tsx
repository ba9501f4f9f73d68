/** The codes of a value set, page by page, with a filter. */
import { Alert, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Failure } from '../../api/failure';
import { askOperation } from '../../api/terminology';
import { readExpansion, type Expansion as Codes } from '../../fhir/terminology';
import { FailureView } from '../../layout/failure-view';
import { Loading } from '../../layout/loaded';
import type { Space } from '../../place';
import { texts } from '../../texts';
import { HowToLoad, saysNotLoaded } from './not-loaded';
import { CodeTable } from './code-table';
import classes from './terminology.module.css';

const { terminology } = texts;
const PAGE = 50;
const PAUSE_MS = 250;

export interface ExpansionProps {
  readonly space: Space;
  readonly id: string;
}

export function Expansion({ space, id }: ExpansionProps) {
  const [text, setText] = useState('');
  const [offset, setOffset] = useState(0);
  const heading = useRef<HTMLHeadingElement>(null);
  const [filter] = useDebouncedValue(text.trim(), PAUSE_MS);
  const expansion = useQuery({
    queryKey: ['expansion', space, id, filter, offset],
    queryFn: async ({ signal }) => {
      const page = { filter, offset: String(offset), count: String(PAGE) };
      return readExpansion(await askOperation(space, `ValueSet/${id}/$expand`, page, signal));
    },
    retry: false,
    placeholderData: (before) => before,
  });
  return (
    <section aria-labelledby="expansion">
      <Title ref={heading} order={2} size="h4" id="expansion" mb="xs" className={classes['heading'] ?? ''}>
        {terminology.expansion}
      </Title>
      <Stack gap="xs">
        <TextInput
          type="search"
          aria-label={terminology.filterCodes}
          placeholder={terminology.filterCodes}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setOffset(0);
          }}
          w={{ base: '100%', xs: 360 }}
        />
        {expansion.isPending ? <Loading /> : null}
        {expansion.isError ? <ExpansionFailure error={expansion.error} /> : null}
        {expansion.isSuccess ? (
          <Page
            space={space}
            codes={expansion.data}
            offset={offset}
            isFiltered={filter !== ''}
            onMove={(place) => {
              setOffset(place);
              heading.current?.scrollIntoView();
            }}
          />
        ) : null}
      </Stack>
    </section>
  );
}

/** What helps against the usual reasons. */
function ExpansionFailure({ error }: { readonly error: unknown }) {
  const code = error instanceof Failure ? error.issues[0]?.code : undefined;
  const help =
    code === 'too-costly'
      ? terminology.costlyHelp
      : code === 'not-supported' || code === 'not-found'
        ? terminology.unknownHelp
        : undefined;
  if (help === undefined || !(error instanceof Failure)) return <FailureView error={error} />;
  return (
    <Alert color="yellow" role="alert" title={error.message}>
      <Text size="sm">{help}</Text>
      {saysNotLoaded(error.message) ? <HowToLoad /> : null}
    </Alert>
  );
}

function Page({
  space,
  codes: { codes, total },
  offset,
  isFiltered,
  onMove,
}: {
  readonly space: Space;
  readonly codes: Codes;
  readonly offset: number;
  readonly isFiltered: boolean;
  readonly onMove: (offset: number) => void;
}) {
  if (codes.length === 0) {
    return (
      <Text size="sm" role="status">
        {isFiltered ? terminology.noCodes : terminology.noCodesAtAll}
      </Text>
    );
  }
  const [first, last] = [(offset + 1).toLocaleString(), (offset + codes.length).toLocaleString()];
  const isMore = total === undefined ? codes.length >= PAGE : offset + PAGE < total;
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {total === undefined
          ? terminology.codesShownOnly(first, last)
          : terminology.codesShown(first, last, total.toLocaleString())}
      </Text>
      <CodeTable space={space} codes={codes} />
      <Group gap="sm">
        {offset > 0 ? (
          <Button size="xs" variant="default" onClick={() => onMove(Math.max(0, offset - PAGE))}>
            {terminology.previous}
          </Button>
        ) : null}
        {isMore ? (
          <Button size="xs" variant="default" onClick={() => onMove(offset + PAGE)}>
            {terminology.next}
          </Button>
        ) : null}
      </Group>
    </>
  );
}
