/** Any other answer of a FHIR address: an operation, a history of many records, the capability statement. */
import { Code, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'react-router';
import { get } from '../api/fhir';
import { toJson } from '../api/json';
import { Loaded } from '../layout/loaded';
import { fhirPath, type Space } from '../place';

export default function AnswerScreen({ space, rest }: { readonly space: Space; readonly rest: string }) {
  const { search } = useLocation();
  const address = `${rest}${search}`;
  const query = useQuery({
    queryKey: ['answer', space, address],
    queryFn: ({ signal }) => get(space, address, signal),
  });
  return (
    <>
      <Title order={1} size="h3">
        {fhirPath(space, rest)}
      </Title>
      <Loaded query={query}>
        {({ value }) => (
          <Code block mt="md">
            {toJson(value)}
          </Code>
        )}
      </Loaded>
    </>
  );
}
