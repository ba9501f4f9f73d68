/** Any other answer of a FHIR address: an operation, a history of many records, the capability statement. */
import { Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useLocation } from 'react-router';
import { get } from '../api/fhir';
import { Loaded, Loading } from '../layout/loaded';
import { useTitle } from '../layout/use-title';
import type { Space } from '../place';
import { texts } from '../texts';
import { BundleEntries } from './bundle-entries';

const JsonView = lazy(() => import('./resource/json-view'));

export default function AnswerScreen({ space, rest }: { readonly space: Space; readonly rest: string }) {
  const { search } = useLocation();
  const address = `${rest}${search}`;
  const query = useQuery({
    queryKey: ['answer', space, address],
    queryFn: ({ signal }) => get(space, address, signal),
  });
  useTitle(rest);
  return (
    <Stack gap="lg">
      <Title order={1} size="h3" style={{ overflowWrap: 'anywhere' }}>
        {address}
      </Title>
      <Loaded query={query}>
        {({ value }) => (
          <>
            {value['resourceType'] === 'Bundle' ? <BundleEntries space={space} bundle={value} /> : null}
            <section aria-label={texts.answer.json}>
              <Suspense fallback={<Loading />}>
                <JsonView value={value} />
              </Suspense>
            </section>
          </>
        )}
      </Loaded>
    </Stack>
  );
}
