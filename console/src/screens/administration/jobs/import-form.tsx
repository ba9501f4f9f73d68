/** Begins the import of a package, by its name or from a file. */
import {
  Button,
  Checkbox,
  FileInput,
  Group,
  SegmentedControl,
  Select,
  Stack,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { importFile, importPackage } from '../../../api/administration';
import { FailureView } from '../../../layout/failure-view';
import { RELEASES, type Release } from '../../../place';
import { texts } from '../../../texts';
import { useChange } from '../queries';

const words = texts.administration.jobs.packages;

export function ImportForm({ tenant }: { readonly tenant: string }) {
  const [isFile, setIsFile] = useState(false);
  const [name, setName] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [options, setOptions] = useState({ examples: false, dependencies: false });
  const [release, setRelease] = useState<Release>();
  const given = { ...options, ...(release === undefined ? {} : { release }) };
  const importing = useChange(async () => {
    if (isFile && file !== null) await importFile(tenant, file, given);
    else await importPackage(tenant, name.trim(), given);
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        importing.mutate(undefined);
      }}
    >
      <Stack gap="sm" maw={640}>
        <SegmentedControl
          aria-label={words.from}
          w="fit-content"
          size="sm"
          value={isFile ? 'file' : 'name'}
          data={[
            { value: 'name', label: words.fromRegistry },
            { value: 'file', label: words.fromFile },
          ]}
          onChange={(value) => setIsFile(value === 'file')}
        />
        {isFile ? (
          <FileInput
            label={words.file}
            description={words.fileHint}
            accept=".tgz,.tar.gz,application/gzip"
            value={file}
            onChange={setFile}
            required
          />
        ) : (
          <TextInput
            label={words.nameVersion}
            description={words.nameVersionHint}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            pattern="[^@\s]+@[^@\s]+"
            required
            autoComplete="off"
            spellCheck={false}
          />
        )}
        <Select
          label={words.releaseOption}
          data={[
            { value: '', label: words.releaseOfPackage },
            ...RELEASES.map((value) => ({ value, label: value.toUpperCase() })),
          ]}
          value={release ?? ''}
          onChange={(value) => setRelease(RELEASES.find((each) => each === value))}
          allowDeselect={false}
          maw={240}
        />
        <Checkbox
          label={words.examples}
          checked={options.examples}
          onChange={(event) => setOptions({ ...options, examples: event.currentTarget.checked })}
        />
        <Checkbox
          label={words.dependencies}
          checked={options.dependencies}
          onChange={(event) => setOptions({ ...options, dependencies: event.currentTarget.checked })}
        />
        {importing.isError ? <FailureView error={importing.error} /> : null}
        <Group>
          <Button type="submit" loading={importing.isPending} disabled={isFile && file === null}>
            {words.start}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
