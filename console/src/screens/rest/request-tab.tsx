/** One request: what a person writes, the answer, and what was sent before. */
import { Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { accountIn } from '../../api/session';
import { FailureView } from '../../layout/failure-view';
import { Loading } from '../../layout/loaded';
import { absolute, fhirPath, type Space } from '../../place';
import { restOf } from '../../rest/address';
import { keepRequest, type RestRequest } from '../../rest/history';
import { hasBody, sendRequest, type RestAnswer } from '../../rest/send-request';
import { AnswerView } from './answer-view';
import { HistoryList } from './history-list';
import { RequestForm } from './request-form';

export interface RequestTabProps {
  readonly space: Space;
  /** The path at the beginning. */
  readonly path: string;
}

interface Answered {
  readonly request: RestRequest;
  readonly answer: RestAnswer;
}

export function RequestTab({ space, path }: RequestTabProps) {
  const [request, setRequest] = useState<RestRequest>({ method: 'GET', path, headers: [], body: '' });
  /** Counts the texts that came from elsewhere: the editor begins anew with each. */
  const [edition, setEdition] = useState(0);
  const queries = useQueryClient();
  const running = useRef<AbortController>(null);
  const sending = useMutation({
    mutationFn: async (wanted: RestRequest): Promise<Answered | undefined> => {
      const rest = restOf(wanted.path, absolute(fhirPath(space)));
      if (rest === undefined) return undefined;
      const controller = new AbortController();
      running.current = controller;
      const account = accountIn(space);
      const keep = (answer: Pick<RestAnswer, 'status' | 'ms'>): void => {
        // Who has signed out meanwhile leaves nothing behind.
        if (accountIn(space) === account) keepRequest(space, wanted, answer);
      };
      try {
        const answer = await sendRequest(space, { ...wanted, rest }, controller.signal);
        keep(answer);
        return { request: wanted, answer };
      } catch (error) {
        keep({ status: 0, ms: 0 });
        throw error;
      }
    },
    onSuccess: (done) => {
      // What other screens have read may have changed.
      if (done !== undefined && hasBody(done.request.method)) void queries.invalidateQueries();
    },
  });
  const take = (other: RestRequest): void => {
    setRequest(other);
    setEdition(edition + 1);
  };
  return (
    <Stack gap="lg">
      <RequestForm
        space={space}
        request={request}
        edition={edition}
        onChange={setRequest}
        onTake={take}
        isSending={sending.isPending}
        onSend={() => sending.mutate(request)}
        onCancel={() => running.current?.abort()}
      />
      {sending.isPending ? (
        <Loading />
      ) : sending.isError ? (
        <FailureView error={sending.error} />
      ) : (
        <AnswerView space={space} answered={sending.data} />
      )}
      <HistoryList space={space} onTake={take} />
    </Stack>
  );
}
