/** Begins the import of a package, by its name or from a file. */
import { Box, Checkbox, FileInput, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { importFile, importPackage } from '../../../api/administration';
import { RELEASES, type Release } from '../../../place';
import { texts } from '../../../texts';
import { ChangeForm } from '../change-form';
import { useChange } from '../queries';

const words = texts.administration.jobs.packages;

interface Draft {
  from: 'name' | 'file';
  name: string;
  file: File | null;
  /** Empty: that of the package. */
  release: Release | '';
  examples: boolean;
  dependencies: boolean;
}

export function ImportForm({ tenant }: { readonly tenant: string }) {
  const draft = useForm<Draft>({
    initialValues: { from: 'name', name: '', file: null, release: '', examples: false, dependencies: false },
  });
  const importing = useChange(async ({ from, name, file, release, ...options }: Draft) => {
    const given = { ...options, ...(release === '' ? {} : { release }) };
    if (from === 'file' && file !== null) await importFile(tenant, file, given);
    else await importPackage(tenant, name.trim(), given);
  });
  const isFile = draft.values.from === 'file';
  return (
    <Box maw={640}>
      <ChangeForm
        form={draft}
        change={importing}
        send={(given) => importing.mutate(given)}
        action={words.start}
        button={{ disabled: isFile && draft.values.file === null }}
        gap="sm"
      >
        <SegmentedControl
          aria-label={words.from}
          w="fit-content"
          size="sm"
          {...draft.getInputProps('from')}
          data={[
            { value: 'name', label: words.fromRegistry },
            { value: 'file', label: words.fromFile },
          ]}
        />
        {isFile ? (
          <FileInput
            label={words.file}
            description={words.fileHint}
            accept=".tgz,.tar.gz,application/gzip"
            {...draft.getInputProps('file')}
            required
          />
        ) : (
          <TextInput
            label={words.nameVersion}
            description={words.nameVersionHint}
            {...draft.getInputProps('name')}
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
          {...draft.getInputProps('release')}
          allowDeselect={false}
          maw={240}
        />
        <Checkbox label={words.examples} {...draft.getInputProps('examples', { type: 'checkbox' })} />
        <Checkbox label={words.dependencies} {...draft.getInputProps('dependencies', { type: 'checkbox' })} />
      </ChangeForm>
    </Box>
  );
}
