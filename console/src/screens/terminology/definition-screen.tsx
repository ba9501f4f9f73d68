/** One code system, value set or concept map. */
import { Anchor, Badge, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { get } from '../../api/fhir';
import { textOf, type JsonObject } from '../../api/json';
import { isKind, type Kind } from '../../api/terminology';
import { CopyIcon } from '../../layout/copy';
import { useSpace } from '../../layout/current-screen';
import { Loaded } from '../../layout/loaded';
import { useTitle } from '../../layout/use-title';
import { resourcePath, screenPath, type Space } from '../../place';
import { texts } from '../../texts';
import NotFoundScreen from '../not-found-screen';
import { CodeSystemView } from './code-system-view';
import { ConceptMapView } from './concept-map-view';
import classes from './terminology.module.css';
import { ValueSetView } from './value-set-view';

const { terminology } = texts;

export function DefinitionScreen() {
  const space = useSpace();
  const { kind, id = '' } = useParams();
  if (!isKind(kind)) return <NotFoundScreen />;
  return <LoadedDefinition key={`${kind}/${id}`} space={space} kind={kind} id={id} />;
}

interface DefinitionProps {
  readonly space: Space;
  readonly kind: Kind;
  readonly id: string;
}

function LoadedDefinition({ space, kind, id }: DefinitionProps) {
  const definition = useQuery({
    queryKey: ['definition', space, kind, id],
    queryFn: async ({ signal }) => (await get(space, `${kind}/${id}`, signal)).value,
  });
  return (
    <Stack gap="lg">
      <Anchor component={Link} to={`${screenPath(space, 'terminology')}?kind=${kind}`} size="sm">
        {terminology.kinds[kind]}
      </Anchor>
      <Loaded query={definition}>
        {(value) => <Definition space={space} kind={kind} id={id} value={value} />}
      </Loaded>
    </Stack>
  );
}

const VIEWS = { CodeSystem: CodeSystemView, ValueSet: ValueSetView, ConceptMap: ConceptMapView };

function Definition({ space, kind, id, value }: DefinitionProps & { readonly value: JsonObject }) {
  const title = textOf(value['title']) ?? textOf(value['name']) ?? id;
  const url = textOf(value['url']) ?? '';
  const facts = [textOf(value['version']), textOf(value['publisher'])].filter((each) => each !== undefined);
  const View = VIEWS[kind];
  useTitle(title);
  return (
    <>
      <div>
        <Group gap="xs">
          <Title order={1} size="h2">
            {title}
          </Title>
          <Badge variant="light" color="gray" c="inherit" tt="none">
            {textOf(value['status'])}
          </Badge>
        </Group>
        <Group gap={4} wrap="nowrap">
          <Text size="sm" className={classes['words'] ?? ''}>
            {url}
          </Text>
          {url === '' ? null : <CopyIcon value={url} what={terminology.url} />}
        </Group>
        <Text size="sm" c="dimmed">
          {facts.join(' · ')}
        </Text>
        <Text size="sm" mt="xs" maw={760} className={classes['words'] ?? ''}>
          {textOf(value['description'])}
        </Text>
        <Anchor component={Link} to={resourcePath(space, kind, id)} size="sm" mt="xs" display="inline-block">
          {terminology.record}
        </Anchor>
      </div>
      <View space={space} value={value} />
    </>
  );
}
