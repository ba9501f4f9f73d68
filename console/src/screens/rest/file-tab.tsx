/** A file of FHIR: what would be sent, a dry run, and the sending. */
import { Alert, FileButton, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Part } from '../../layout/heading';
import { Loading } from '../../layout/loaded';
import { useCapabilities } from '../../fhir/search/search-definitions';
import type { Space } from '../../place';
import { leaveUnknown, readFile, UnreadableFile } from '../../rest/file/read-file';
import { texts } from '../../texts';
import { formatBytes } from '../administration/tenants/amounts';
import { FilePlanView } from './file-plan-view';
import classes from './rest.module.css';

const { rest } = texts;

export interface FileTabProps {
  readonly space: Space;
  readonly file: File | undefined;
  readonly onFile: (file: File | undefined) => void;
}

export function FileTab({ space, file, onFile }: FileTabProps) {
  return (
    <Part title={rest.file}>
      <Stack gap="md">
        <Paper p="md" className={classes['drop'] ?? ''}>
          <Group gap="sm">
            <FileButton onChange={(chosen) => onFile(chosen ?? undefined)}>
              {(props) => (
                <Button variant="default" {...props}>
                  {rest.choose}
                </Button>
              )}
            </FileButton>
            <Text size="sm" flex="1 1 260px">
              {file === undefined ? rest.fileHint : <bdi>{`${file.name} · ${formatBytes(file.size)}`}</bdi>}
            </Text>
          </Group>
        </Paper>
        {file === undefined ? null : <OpenedFile key={keyOf(file)} space={space} file={file} />}
      </Stack>
    </Part>
  );
}

/** Each file that is chosen is read, also one of the same name. */
const numbers = new WeakMap<File, number>();
let last = 0;

function keyOf(file: File): number {
  const known = numbers.get(file) ?? ++last;
  numbers.set(file, known);
  return known;
}

function OpenedFile({ space, file }: { readonly space: Space; readonly file: File }) {
  const [key] = useState(() => keyOf(file));
  const plan = useQuery({
    queryKey: ['file', key],
    queryFn: () => readFile(file, file.name),
    retry: false,
    staleTime: Infinity,
    // A large file leaves the memory with its screen.
    gcTime: 0,
  });
  const types = useCapabilities(space).data;
  const shown = useMemo(
    () =>
      plan.data === undefined || types === undefined
        ? plan.data
        : leaveUnknown(plan.data, types, rest.unknownType),
    [plan.data, types],
  );
  if (plan.isPending)
    return (
      <>
        <Text size="sm">{rest.reading}</Text>
        <Loading />
      </>
    );
  if (plan.isError) return <Unreadable error={plan.error} />;
  return <FilePlanView space={space} plan={shown ?? plan.data} />;
}

function Unreadable({ error }: { readonly error: Error }) {
  const isKnown = error instanceof UnreadableFile;
  return (
    <Alert color="red" role="alert">
      <Text size="sm">{isKnown ? rest.unreadable[error.reason] : error.message}</Text>
      {isKnown && error.details !== '' ? (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {error.details}
        </Text>
      ) : null}
    </Alert>
  );
}
