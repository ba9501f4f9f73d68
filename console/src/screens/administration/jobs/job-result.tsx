/** What a job has done. */
import { Accordion, Alert, Stack, Text } from '@mantine/core';
import { numberOf, objectsOf, textOf, type JsonObject } from '../../../api/json';
import { ANYWHERE, NUMBER, RecordTable } from '../../../layout/record-table';
import { texts } from '../../../texts';
import { formatCount } from '../tenants/amounts';
import { filesOf, type FileReason } from './job-words';

const words = texts.administration.jobs.result;

/** Lists of files that an import names, what matters most first. */
const LISTS = ['refused', 'warned', 'withoutSnapshot', 'renamed', 'replaced', 'switchedOff'] as const;

export function JobResult({ kind, result }: { readonly kind: string; readonly result: JsonObject }) {
  if (kind === 'reindex') return <ReindexResult result={result} />;
  const leftOut = objectsOf(result['leftOut']).map((each) => ({
    file: textOf(each['package']) ?? '',
    reason: textOf(each['reason']) ?? '',
  }));
  return (
    <Stack gap="sm">
      {objectsOf(result['packages']).map((each) => (
        <PackageResult key={`${textOf(each['name']) ?? ''} ${textOf(each['release']) ?? ''}`} result={each} />
      ))}
      {leftOut.length === 0 ? null : (
        <>
          <Text size="sm" fw={500}>
            {words.leftOut}
          </Text>
          <Files title={words.leftOut} files={leftOut} />
        </>
      )}
    </Stack>
  );
}

const countAt = (object: JsonObject, name: string): number => numberOf(object[name]) ?? 0;

function PackageResult({ result }: { readonly result: JsonObject }) {
  const refused = objectsOf(result['refused']).length;
  const counted = (name: string): string => formatCount(countAt(result, name));
  const missing = objectsOf(result['missing']).map(
    ({ name, version }) => `${textOf(name) ?? ''}@${textOf(version) ?? ''}`,
  );
  const notes = [
    ...(missing.length === 0 ? [] : [words.missing(missing.join(', '))]),
    ...(countAt(result, 'examplesLeftOut') === 0 ? [] : [words.examplesLeftOut(counted('examplesLeftOut'))]),
    ...(countAt(result, 'snapshots') === 0 ? [] : [words.snapshots(counted('snapshots'))]),
    ...(countAt(result, 'notListed') === 0 ? [] : [words.notListed(counted('notListed'))]),
  ];
  const lists = LISTS.map((name) => ({ name, files: filesOf(objectsOf(result[name])) }));
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        {textOf(result['name'])}@{textOf(result['version'])} · {textOf(result['release'])?.toUpperCase()}
      </Text>
      <Text size="sm">{words.counts(counted('stored'), counted('unchanged'), formatCount(refused))}</Text>
      {notes.map((note) => (
        <Text key={note} size="sm">
          {note}
        </Text>
      ))}
      <Accordion variant="contained" multiple defaultValue={refused > 0 ? ['refused'] : []}>
        <Accordion.Item value="types">
          <Accordion.Control>{words.types}</Accordion.Control>
          <Accordion.Panel>
            <Types types={objectsOf(result['types'])} />
          </Accordion.Panel>
        </Accordion.Item>
        {lists
          .filter(({ files }) => files.length > 0)
          .map(({ name, files }) => (
            <Accordion.Item key={name} value={name}>
              <Accordion.Control>
                {words[name]} ({formatCount(files.length)})
              </Accordion.Control>
              <Accordion.Panel>
                <Files title={words[name]} files={files} />
              </Accordion.Panel>
            </Accordion.Item>
          ))}
      </Accordion>
    </Stack>
  );
}

function Types({ types }: { readonly types: readonly JsonObject[] }) {
  return (
    <RecordTable
      rows={types}
      caption={words.types}
      minWidth={240}
      keyOf={(_, index) => index}
      columns={[
        { title: words.type, cell: ({ type }) => textOf(type) },
        { title: words.stored, ...NUMBER, cell: (each) => formatCount(countAt(each, 'stored')) },
        { title: words.unchanged, ...NUMBER, cell: (each) => formatCount(countAt(each, 'unchanged')) },
      ]}
    />
  );
}

function Files({ title, files }: { readonly title: string; readonly files: readonly FileReason[] }) {
  return (
    <RecordTable
      rows={files}
      caption={title}
      minWidth={420}
      keyOf={({ file, reason }) => `${file} ${reason}`}
      columns={[
        { title: words.file, cell: ({ file }) => file },
        { title: words.reason, ...ANYWHERE, cell: ({ reason }) => reason },
      ]}
    />
  );
}

function ReindexResult({ result }: { readonly result: JsonObject }) {
  const counted = (name: string): string => formatCount(countAt(result, name));
  const losses = objectsOf(result['losses']);
  return (
    <Stack gap="xs">
      <Text size="sm">{words.reindexed(counted('compared'), counted('repaired'))}</Text>
      <Text size="sm">{words.rows(counted('added'), counted('removed'))}</Text>
      {countAt(result, 'count') === 0 ? null : (
        <Alert color="red" title={words.losses(counted('count'))}>
          <Files
            title={words.losses(counted('count'))}
            files={losses.map((loss) => ({
              file: `${textOf(loss['type']) ?? ''}/${textOf(loss['id']) ?? ''}`,
              reason: textOf(loss['table']) ?? '',
            }))}
          />
        </Alert>
      )}
    </Stack>
  );
}
