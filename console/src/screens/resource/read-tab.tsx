/** A record as people read it. */
import { Alert, Stack } from '@mantine/core';
import { useEffect } from 'react';
import { useLocation } from 'react-router';
import type { JsonObject } from '../../api/json';
import { RecordView } from '../../fhir/render/record-view';
import { useRenderSpace } from '../../fhir/render/render-space';
import { useDefinition } from '../../fhir/search/search-definitions';
import { texts } from '../../texts';

/** Brings a resource inside of the record into view when a link leads to it. */
function useScrollToPlace(isDrawn: boolean): void {
  const { hash } = useLocation();
  useEffect(() => {
    if (isDrawn && hash.length > 1) document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [hash, isDrawn]);
}

export default function ReadTab({ record, type }: { readonly record: JsonObject; readonly type: string }) {
  const definition = useDefinition(useRenderSpace(), type);
  useScrollToPlace(!definition.isLoading);
  return (
    <Stack gap="md">
      {!definition.isLoading && !definition.data ? (
        <Alert color="gray">{texts.record.noDefinition(type)}</Alert>
      ) : null}
      <RecordView record={record} />
    </Stack>
  );
}
