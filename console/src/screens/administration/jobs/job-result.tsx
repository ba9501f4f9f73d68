/** What a job has done. */
import { Accordion, Alert, Stack, Table, Text } from '@mantine/core';
import { numberOf, objectsOf, textOf, type JsonObject } from '../../../api/json';
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
          <Files files={leftOut} />
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
                <Files files={files} />
              </Accordion.Panel>
            </Accordion.Item>
          ))}
      </Accordion>
    </Stack>
  );
}

function Types({ types }: { readonly types: readonly JsonObject[] }) {
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{words.type}</Table.Th>
          <Table.Th ta="right">{words.stored}</Table.Th>
          <Table.Th ta="right">{words.unchanged}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {types.map((each) => (
          <Table.Tr key={textOf(each['type'])}>
            <Table.Td>{textOf(each['type'])}</Table.Td>
            <Table.Td ta="right">{formatCount(countAt(each, 'stored'))}</Table.Td>
            <Table.Td ta="right">{formatCount(countAt(each, 'unchanged'))}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Files({ files }: { readonly files: readonly FileReason[] }) {
  return (
    <Table.ScrollContainer minWidth={420}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.file}</Table.Th>
            <Table.Th>{words.reason}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {files.map(({ file, reason }) => (
            <Table.Tr key={`${file} ${reason}`}>
              <Table.Td>{file}</Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{reason}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
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
