/** Begins an import: of files of this computer, or of addresses that the server reads. */
import { Button, FileInput, Group, Progress, SegmentedControl, Stack, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { startImport, startImportFrom, type ImportAddress } from '../../../api/bulk';
import { keepBulkJob } from '../../../api/bulk-jobs';
import { FailureView } from '../../../layout/failure-view';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { useJobsChanged } from '../queries';

const words = texts.administration.bulkScreen;
/** The server takes no longer request (MAX_BUNDLE_BYTES); its own limit may be lower. */
const MOST_BYTES = 64_000_000;

interface Draft {
  from: 'here' | 'addresses';
  files: File[];
  addresses: string;
}

/** Undefined: a line is no type with an address. */
function addressesIn(text: string): readonly ImportAddress[] | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const found = lines.flatMap((line): ImportAddress[] => {
    const [, type = '', url = ''] = /^([A-Z][A-Za-z]*)\s+(https?:\/\/\S+)$/.exec(line) ?? [];
    return URL.canParse(url) ? [{ type, url }] : [];
  });
  return lines.length > 0 && found.length === lines.length ? found : undefined;
}

const sizeOf = (files: readonly File[]): number => files.reduce((sum, { size }) => sum + size, 0);

export function ImportForm({ space }: { readonly space: Space }) {
  const form = useForm<Draft>({
    initialValues: { from: 'here', files: [], addresses: '' },
    validate: {
      files: (files, { from }) => (from === 'here' && sizeOf(files) > MOST_BYTES ? words.tooLarge : null),
      addresses: (text, { from }) =>
        from === 'addresses' && addressesIn(text) === undefined ? words.addressesFault : null,
    },
  });
  const changed = useJobsChanged(space.tenant);
  const [share, setShare] = useState<number>();
  const ending = useRef<AbortController>(undefined);
  // Files that are still sent belong to nothing when the screen is left.
  useEffect(() => () => ending.current?.abort(), []);
  const sendFiles = async (files: readonly File[]): Promise<string> => {
    const controller = new AbortController();
    ending.current = controller;
    setShare(0);
    try {
      return await startImport(space, files, { tell: setShare, signal: controller.signal });
    } finally {
      setShare(undefined);
    }
  };
  const starting = useMutation({
    mutationFn: ({ from, files, addresses }: Draft) =>
      from === 'here' ? sendFiles(files) : startImportFrom(space, addressesIn(addresses) ?? []),
    onSuccess: (id, { from, files, addresses }) => {
      const names =
        from === 'here'
          ? files.map(({ name }) => name)
          : (addressesIn(addresses) ?? []).map(({ url }) => url.replace(/[?#].*$/, '').replace(/^.*\//, ''));
      keepBulkJob(space, { id, kind: 'import', title: words.filesOf(names) });
      changed();
      form.reset();
    },
  });
  const isHere = form.values.from === 'here';
  return (
    <form onSubmit={form.onSubmit((draft) => starting.mutate(draft))}>
      <Stack gap="sm" maw={640}>
        <SegmentedControl
          aria-label={words.from}
          w="fit-content"
          size="sm"
          data={[
            { value: 'here', label: words.fromHere },
            { value: 'addresses', label: words.fromAddresses },
          ]}
          {...form.getInputProps('from')}
        />
        {isHere ? (
          <FileInput
            label={words.files}
            description={words.filesHint}
            accept=".ndjson,.ndjson.gz,.jsonl,application/fhir+ndjson,application/x-ndjson,application/gzip"
            multiple
            {...form.getInputProps('files')}
          />
        ) : (
          <Textarea
            label={words.addresses}
            description={words.addressesHint}
            autosize
            minRows={2}
            spellCheck={false}
            {...form.getInputProps('addresses')}
          />
        )}
        <Group>
          <Button
            type="submit"
            loading={starting.isPending}
            disabled={isHere && form.values.files.length === 0}
          >
            {words.startImport}
          </Button>
          {share === undefined ? null : (
            <Button variant="subtle" onClick={() => ending.current?.abort()}>
              {texts.common.cancel}
            </Button>
          )}
        </Group>
        {share === undefined ? null : (
          <Progress value={share * 100} aria-label={words.sending} transitionDuration={0} />
        )}
        {starting.isError && starting.error !== ending.current?.signal.reason ? (
          <FailureView error={starting.error} isOfRecords />
        ) : null}
      </Stack>
    </form>
  );
}
