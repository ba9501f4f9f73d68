/** Shows what a query has loaded, and until then that it loads or why it failed. */
import { Center, Loader } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { texts } from '../texts';
import { FailureView } from './failure-view';
import { useProgress } from './progress-line';

export function Loaded<Value>({
  query,
  children,
}: {
  readonly query: UseQueryResult<Value>;
  readonly children: (value: Value) => ReactNode;
}) {
  if (query.isPending) return <Loading />;
  if (query.isError) return <FailureView error={query.error} retry={() => void query.refetch()} />;
  return <>{children(query.data)}</>;
}

export function Loading() {
  useProgress();
  return (
    <Center p="xl" role="status" aria-label={texts.common.loading}>
      <Loader size="sm" />
    </Center>
  );
}
