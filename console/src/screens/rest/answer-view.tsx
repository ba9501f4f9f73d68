/** The answer to a request: status, time, size, headers and body. */
import { Anchor, Badge, Button, Collapse, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useMemo } from 'react';
import { Link } from 'react-router';
import { saveFile } from '../../editor/download';
import { Disclosure } from '../../layout/disclosure';
import { Part } from '../../layout/heading';
import { IconDownload } from '../../layout/icons/icons';
import { Loading } from '../../layout/loaded';
import { ANYWHERE, RecordTable } from '../../layout/record-table';
import { absolute, fhirPath, type Space } from '../../place';
import { restOf } from '../../rest/address';
import type { RestRequest } from '../../rest/history';
import { cutLines, layOut } from '../../rest/lay-out';
import type { RestAnswer } from '../../rest/send-request';
import { texts } from '../../texts';
import { formatBytes } from '../administration/tenants/amounts';

const CodeEditor = lazy(() => import('../../editor/code-editor'));
const { rest } = texts;

export interface AnswerViewProps {
  readonly space: Space;
  /** Undefined: nothing was sent. */
  readonly answered: { readonly request: RestRequest; readonly answer: RestAnswer } | undefined;
}

export function AnswerView({ space, answered }: AnswerViewProps) {
  return (
    <Part title={rest.answer}>
      {answered === undefined ? (
        <Text c="dimmed">{rest.noAnswer}</Text>
      ) : (
        <Answer space={space} {...answered} />
      )}
    </Part>
  );
}

interface AnswerProps {
  readonly space: Space;
  readonly request: RestRequest;
  readonly answer: RestAnswer;
}

function Answer({ space, request, answer }: AnswerProps) {
  const { status, statusText, ms, headers, content } = answer;
  const type = headers.find(({ name }) => name === 'content-type')?.value ?? '';
  return (
    <Stack gap="sm">
      <Group gap="sm" role="status">
        <Badge color={status < 300 ? 'green' : status < 400 ? 'gray' : 'red'} variant="light" size="lg">
          {`${status} ${statusText}`.trim()}
        </Badge>
        <Text size="sm">{rest.summary(request.method, ms, formatBytes(content.size))}</Text>
        {request.method === 'GET' && status < 300 ? <ScreenLink space={space} path={request.path} /> : null}
      </Group>
      <AnswerHeaders headers={headers} />
      {content.size === 0 ? (
        <Text c="dimmed">{rest.emptyBody}</Text>
      ) : (
        <Content answer={answer} type={type} />
      )}
    </Stack>
  );
}

function ScreenLink({ space, path }: { readonly space: Space; readonly path: string }) {
  const root = fhirPath(space);
  const address = restOf(path, absolute(root));
  if (address === undefined) return null;
  return (
    <Anchor component={Link} to={`${root}${address}`} size="sm">
      {rest.openScreen}
    </Anchor>
  );
}

function AnswerHeaders({ headers }: Pick<RestAnswer, 'headers'>) {
  const [isOpen, { toggle }] = useDisclosure(false);
  return (
    <div>
      <Disclosure label={rest.answerHeaders(headers.length)} isOpen={isOpen} onToggle={toggle} />
      <Collapse expanded={isOpen}>
        {isOpen ? (
          <RecordTable
            rows={headers}
            caption={rest.answerHeaders(headers.length)}
            look={{ verticalSpacing: 4 }}
            minWidth={320}
            keyOf={({ name }, index) => `${name}${index}`}
            columns={[
              { title: rest.headerName, cell: ({ name }) => name },
              { title: rest.headerText, ...ANYWHERE, cell: ({ value }) => value },
            ]}
          />
        ) : null}
      </Collapse>
    </div>
  );
}

function Content({ answer, type }: { readonly answer: RestAnswer; readonly type: string }) {
  const { text, content, isCut } = answer;
  const shown = useMemo(
    () => (/json/.test(type) ? layOut(text, rest.shortened) : cutLines(text, rest.shortened)),
    [text, type],
  );
  const name = `answer.${/ndjson/.test(type) ? 'ndjson' : /json/.test(type) ? 'json' : 'txt'}`;
  return (
    <section aria-label={rest.answerBody}>
      <Group gap="sm" mb={4} justify="space-between">
        <Text size="sm" c="dimmed">
          {isCut ? rest.cut(formatBytes(text.length), formatBytes(content.size)) : ''}
        </Text>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
          onClick={() => saveFile(name, content)}
        >
          {rest.save}
        </Button>
      </Group>
      <Suspense fallback={<Loading />}>
        <CodeEditor text={shown} label={rest.answerBody} isReadOnly />
      </Suspense>
    </section>
  );
}
