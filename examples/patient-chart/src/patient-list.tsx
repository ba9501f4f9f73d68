import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { execute } from './gateway';
import { graphql } from './gql';
import { lastSequence, useChanges } from './live';
import { toDisplayName } from './patient-name';

const PATIENTS = graphql(`
  query Patients($name: [String], $cursor: String) {
    PatientConnection(name: $name, _sort: "family", _count: 20, _cursor: $cursor) {
      count
      next
      edges {
        resource {
          id
          birthDate
          gender
          name {
            text
            family
            given
          }
        }
      }
    }
  }
`);

export function PatientList({
  selected,
  onSelect,
}: {
  selected: string | undefined;
  onSelect: (id: string) => void;
}) {
  const [text, setText] = useState('');
  const name = useDeferredValue(text.trim());
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } = useInfiniteQuery({
    queryKey: ['patients', name],
    queryFn: async ({ pageParam }) => {
      const sequence = await lastSequence();
      const found = await execute(PATIENTS, { name: name === '' ? null : [name], cursor: pageParam });
      return { sequence, page: found.PatientConnection };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ page }) => page?.next,
    placeholderData: keepPreviousData,
  });
  useChanges({ type: 'Patient', after: data?.pages[0]?.sequence, onChange: () => refetch() });

  const patients = (data?.pages ?? []).flatMap(({ page }) => page?.edges ?? []).map((edge) => edge?.resource);
  const count = data?.pages[0]?.page?.count ?? 0;
  return (
    <nav aria-label="Patients">
      <input
        type="search"
        aria-label="Search by name"
        placeholder="Name"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {error !== null && <p role="alert">{error.message}</p>}
      <p className="quiet" data-testid="count">
        {data === undefined ? 'Loading …' : `${count} ${count === 1 ? 'patient' : 'patients'}`}
      </p>
      <ul>
        {patients.map(
          (patient) =>
            patient?.id && (
              <li key={patient.id}>
                <button
                  type="button"
                  aria-current={patient.id === selected}
                  onClick={() => onSelect(patient.id ?? '')}
                >
                  <strong>{toDisplayName(patient.name)}</strong>
                  <span className="quiet">
                    {[patient.birthDate, patient.gender].filter(Boolean).join(' · ') || patient.id}
                  </span>
                </button>
              </li>
            ),
        )}
      </ul>
      {hasNextPage && (
        <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          More
        </button>
      )}
    </nav>
  );
}
