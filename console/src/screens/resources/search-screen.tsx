/** The search of one type. The address of the browser is the search. */
import { Anchor, Button, Group, Stack, Title } from '@mantine/core';
import { IconPlus } from '../../layout/icons/icons';
import { lazy, Suspense } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { mainParameters } from '../../fhir/search/search-columns';
import { useCapabilities, useDefinition, useSearchParameters } from '../../fhir/search/search-definitions';
import { FailureView } from '../../layout/failure-view';
import { Loading } from '../../layout/loaded';
import { useTitle } from '../../layout/use-title';
import { fhirPath, type Space } from '../../place';
import { texts } from '../../texts';
import { SearchForm } from './builder/search-form';
import { Results } from './results';

const NewRecord = lazy(() => import('../resource/editor/new-record'));
const { resources } = texts;
/** Parameters that are visible at once. */
const MAIN = 3;

export interface SearchScreenProps {
  readonly space: Space;
  readonly type: string;
}

export default function SearchScreen({ space, type }: SearchScreenProps) {
  const { hash } = useLocation();
  useTitle(type);
  if (hash !== '#new') return <Search space={space} type={type} />;
  return (
    <Suspense fallback={<Loading />}>
      <NewRecord space={space} type={type} />
    </Suspense>
  );
}

function Search({ space, type }: SearchScreenProps) {
  const { search } = useLocation();
  const navigate = useNavigate();
  const capabilities = useCapabilities(space);
  const { parameters, isPending } = useSearchParameters(space, type);
  const definition = useDefinition(space, type);
  const path = fhirPath(space, type);
  const query = search.replace(/^\?/, '');
  const isLoading = isPending || definition.isPending;
  return (
    <Stack gap="md">
      <Group justify="space-between" align="end">
        <div>
          <Anchor component={Link} to={fhirPath(space)} size="sm">
            {resources.allTypes}
          </Anchor>
          <Title order={1} size="h2">
            {type}
          </Title>
        </div>
        <Button
          component={Link}
          to={`${path}#new`}
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
        >
          {resources.create(type)}
        </Button>
      </Group>
      {capabilities.isError ? (
        <FailureView error={capabilities.error} retry={() => void capabilities.refetch()} />
      ) : isLoading ? (
        <Loading />
      ) : (
        <>
          <SearchForm
            space={space}
            type={type}
            query={query}
            main={mainParameters(definition.data ?? undefined, parameters, MAIN)}
            onSearch={(text) => void navigate(text === '' ? path : `${path}?${text}`)}
          />
          <Results space={space} type={type} query={query} parameters={parameters} />
        </>
      )}
    </Stack>
  );
}
