/** One concept: its names, properties, what is above and below it, and where it is used. */
import { Alert, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode } from 'react';
import { lookUpConcept, relatedIn, type Named } from '../../api/concepts';
import { Failure } from '../../api/failure';
import { objectsOf, textOf, type JsonObject } from '../../api/json';
import { isInTables } from '../../fhir/concepts';
import { textIn, type AnswerParameter } from '../../fhir/terminology';
import { CopyIcon } from '../../layout/copy';
import { Loaded } from '../../layout/loaded';
import { conceptPath } from '../../place';
import { texts } from '../../texts';
import { CodeUses } from './code-uses';
import { ConceptLink } from './concept-hits';
import { ConceptLevel } from './concept-level';
import type { ConceptPlace } from './concept-row';
import { Designations, Properties } from './concept-tables';
import classes from './terminology.module.css';

const { terminology } = texts;

export interface ConceptDetailsProps {
  readonly place: ConceptPlace;
  /** The CodeSystem. */
  readonly value: JsonObject;
}

interface ChosenProps extends ConceptDetailsProps {
  /** The code that the address had when the screen was opened. */
  readonly first: string;
}

/** All properties that are declared but the children, which may be thousands. */
function propertiesOf(value: JsonObject): readonly string[] {
  const declared = objectsOf(value['property']).flatMap(({ code }) => textOf(code) ?? []);
  return ['designation', 'definition', 'parent', ...declared.filter((code) => code !== 'child')];
}

export function ConceptDetails({ place, value, first }: ChosenProps) {
  const { space, system, chosen } = place;
  const properties = isInTables(value) ? propertiesOf(value) : [];
  const answer = useQuery({
    queryKey: ['concept', space, system, chosen],
    queryFn: ({ signal }) => lookUpConcept(space, system, { code: chosen, properties }, signal),
    retry: false,
  });
  const heading = useFocusOnChange(first, chosen);
  const isUnknown = answer.error instanceof Failure && answer.error.status === 404;
  return (
    <section aria-labelledby="concept">
      <Group gap={4} mb="xs" wrap="nowrap">
        <Title
          ref={heading}
          order={2}
          size="h4"
          id="concept"
          tabIndex={-1}
          className={classes['heading'] ?? ''}
        >
          {terminology.concept} <span className={classes['words']}>{chosen}</span>
        </Title>
        <CopyIcon value={`${system.url}|${chosen}`} what={terminology.code} />
      </Group>
      {isUnknown ? (
        <Alert color="yellow" title={terminology.noConcept}>
          <Text size="sm">{answer.error?.message}</Text>
        </Alert>
      ) : (
        <Loaded query={answer}>
          {(parameters) => <Known place={place} value={value} parameters={parameters} />}
        </Loaded>
      )}
    </section>
  );
}

/** A person who chooses another concept goes on reading there. */
function useFocusOnChange(first: string, chosen: string): React.RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const last = useRef(first);
  useEffect(() => {
    if (last.current === chosen) return;
    last.current = chosen;
    heading.current?.focus();
  }, [chosen]);
  return heading;
}

function Known({
  place,
  value,
  parameters,
}: ConceptDetailsProps & { readonly parameters: readonly AnswerParameter[] }) {
  const { space, id, system, chosen } = place;
  const others = parameters.filter(
    ({ name, parts }) => name === 'property' && !['parent', 'child'].includes(textIn(parts, 'code')),
  );
  const codes = new Set(
    objectsOf(value['property']).flatMap(({ code, type }) => (type === 'code' ? (textOf(code) ?? []) : [])),
  );
  const parents = relatedIn(parameters, 'parent');
  return (
    <Stack gap="md">
      <Text fw={600} className={classes['words'] ?? ''}>
        {textIn(parameters, 'display') || chosen}
      </Text>
      <Related title={terminology.parents}>
        <Links place={place} concepts={parents} none={terminology.onTop} />
      </Related>
      <Related title={terminology.children}>
        {isInTables(value) ? (
          <ConceptLevel key={chosen} place={place} parent={chosen} />
        ) : (
          <Links place={place} concepts={relatedIn(parameters, 'child')} none={terminology.nothingBelow} />
        )}
      </Related>
      <Designations parameters={parameters} />
      <Properties
        parameters={others}
        pathOf={(property, code) => (codes.has(property) ? conceptPath(space, id, code) : undefined)}
      />
      <CodeUses key={chosen} space={space} system={system.url} code={chosen} />
    </Stack>
  );
}

function Related({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <Title order={3} size="h6" mb={4}>
        {title}
      </Title>
      {children}
    </div>
  );
}

function Links({
  place,
  concepts,
  none,
}: {
  readonly place: ConceptPlace;
  readonly concepts: readonly Named[];
  readonly none: string;
}) {
  if (concepts.length === 0) return <Text size="sm">{none}</Text>;
  return (
    <ul className={classes['tree']}>
      {concepts.map((concept) => (
        <Text key={concept.code} size="sm" component="li" className={classes['words'] ?? ''}>
          <ConceptLink place={place} concept={concept} />{' '}
          {concept.display === '' ? null : <span className={classes['code']}>{concept.code}</span>}
        </Text>
      ))}
    </ul>
  );
}
