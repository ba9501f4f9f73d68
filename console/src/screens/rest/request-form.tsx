/** The form of a request. */
import { Button, Collapse, Group, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useMemo } from 'react';
import { completeRecord } from '../../editor/completion';
import { useKnowledge } from '../../editor/snapshots';
import { toCurlOf } from '../../fhir/search/search-curl';
import { useCapabilities } from '../../fhir/search/search-definitions';
import { CopyLine } from '../../layout/copy';
import { Disclosure } from '../../layout/disclosure';
import { Loading } from '../../layout/loaded';
import { usePerson } from '../../layout/use-person';
import { absolute, fhirPath, type Space } from '../../place';
import { restOf } from '../../rest/address';
import { typeIn } from '../../rest/complete-path';
import { faultOf, isBlank } from '../../rest/headers';
import type { RestRequest } from '../../rest/history';
import { hasBody } from '../../rest/send-request';
import { texts } from '../../texts';
import { HeaderFields } from './header-fields';
import { OperationForm } from './operation-form';
import { PathField } from './path-field';

const CodeEditor = lazy(() => import('../../editor/code-editor'));
const { rest } = texts;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];

export interface RequestFormProps {
  readonly space: Space;
  readonly request: RestRequest;
  /** Another number: the body came from elsewhere than the editor. */
  readonly edition: number;
  readonly onChange: (request: RestRequest) => void;
  /** Like `onChange`, with a body that the editor does not have. */
  readonly onTake: (request: RestRequest) => void;
  readonly isSending: boolean;
  readonly onSend: () => void;
  readonly onCancel: () => void;
}

export function RequestForm(props: RequestFormProps) {
  const { space, request, onChange, onTake, isSending, onSend, onCancel } = props;
  const address = restOf(request.path, absolute(fhirPath(space)));
  const isForeign = address === undefined;
  const canSend = !isForeign && request.headers.every((header) => faultOf(header) === undefined);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend && !isSending) onSend();
      }}
    >
      <Stack gap="sm">
        <Group align="start" gap="xs">
          <Select
            label={rest.method}
            data={METHODS}
            value={request.method}
            onChange={(method) => onChange({ ...request, method: method ?? 'GET' })}
            allowDeselect={false}
            w={110}
          />
          <PathField
            space={space}
            value={request.path}
            isForeign={isForeign}
            onChange={(path) => onChange({ ...request, path })}
          />
          {isSending ? (
            <Button variant="default" mt={25} onClick={onCancel}>
              {rest.cancel}
            </Button>
          ) : (
            <Button type="submit" mt={25} disabled={!canSend}>
              {rest.send}
            </Button>
          )}
        </Group>
        <HeaderFields headers={request.headers} onChange={(headers) => onChange({ ...request, headers })} />
        <OperationForm
          space={space}
          path={request.path}
          onMade={(body) => onTake({ ...withContentType(request), method: 'POST', body })}
        />
        {hasBody(request.method) ? <Body {...props} /> : null}
        <Curl space={space} request={request} address={address} />
      </Stack>
    </form>
  );
}

/** The request with the type of FHIR JSON, where it names none. */
function withContentType(request: RestRequest): RestRequest {
  const isNamed = request.headers.some(({ name }) => name.toLowerCase() === 'content-type');
  const added = { name: 'Content-Type', value: 'application/fhir+json' };
  return isNamed ? request : { ...request, headers: [...request.headers, added] };
}

function Body({ space, request, edition, onChange }: RequestFormProps) {
  const knowledge = useKnowledge(space);
  const types = useCapabilities(space).data;
  const type = types === undefined ? undefined : typeIn(request.path, types)?.type;
  const complete = useMemo(
    () => (type === undefined ? undefined : completeRecord(knowledge, type)),
    [knowledge, type],
  );
  return (
    <section aria-label={rest.body}>
      <Text size="sm" fw={500} mb={4}>
        {rest.body}
      </Text>
      <Suspense fallback={<Loading />}>
        <CodeEditor
          key={edition}
          text={request.body}
          label={rest.body}
          onChange={(body) => onChange({ ...request, body })}
          {...(complete === undefined ? {} : { complete })}
        />
      </Suspense>
    </section>
  );
}

/** A longer body would make a command that no shell takes. */
const MOST_IN_COMMAND = 100_000;

function Curl({
  space,
  request,
  address,
}: Pick<RequestFormProps, 'space' | 'request'> & { readonly address: string | undefined }) {
  const [isOpen, { toggle }] = useDisclosure(false);
  const person = usePerson(space);
  if (address === undefined) return null;
  const body = hasBody(request.method) && request.body.length <= MOST_IN_COMMAND ? request.body : '';
  const command = (): string =>
    toCurlOf(
      {
        method: request.method,
        address: `${absolute(fhirPath(space))}${address}`,
        headers: headersOf(request),
        body,
      },
      person !== undefined,
    );
  return (
    <div>
      <Disclosure label={rest.curl} isOpen={isOpen} onToggle={toggle} />
      <Collapse expanded={isOpen}>
        {isOpen ? <CopyLine value={command()} what={rest.curl} /> : null}
        {person === undefined ? null : (
          <Text size="xs" c="dimmed">
            {rest.token}
          </Text>
        )}
      </Collapse>
    </div>
  );
}

function headersOf(request: RestRequest): RestRequest['headers'] {
  const { headers } = request.body !== '' && hasBody(request.method) ? withContentType(request) : request;
  return headers.filter((header) => !isBlank(header));
}
