/** The requests that the person has sent, to take them again. */
import { Button, Text, UnstyledButton } from '@mantine/core';
import { formatDateTime } from '../../fhir/format-date';
import { Part } from '../../layout/heading';
import { ANYWHERE, NUMBER, RecordTable } from '../../layout/record-table';
import type { Space } from '../../place';
import { dropRequests, useRequests, type RestRequest } from '../../rest/history';
import { texts } from '../../texts';
import classes from './rest.module.css';

const { rest } = texts;

export interface HistoryListProps {
  readonly space: Space;
  readonly onTake: (request: RestRequest) => void;
}

export function HistoryList({ space, onTake }: HistoryListProps) {
  const requests = useRequests(space);
  const clear =
    requests.length === 0 ? null : (
      <Button size="compact-sm" variant="default" onClick={() => dropRequests(space)}>
        {rest.clear}
      </Button>
    );
  return (
    <Part title={rest.history} hint={rest.historyHint} beside={clear}>
      <RecordTable
        rows={requests}
        empty={<Text c="dimmed">{rest.noHistory}</Text>}
        caption={rest.history}
        look={{ verticalSpacing: 4 }}
        minWidth={420}
        maxHeight={320}
        group={rest.history}
        keyOf={({ id }) => id}
        columns={[
          {
            title: rest.request,
            ...ANYWHERE,
            cell: ({ method, path, headers, body, isCut }) => (
              <>
                <UnstyledButton
                  className={classes['again'] ?? ''}
                  aria-label={rest.again(`${method} ${path}`)}
                  onClick={() => onTake({ method, path, headers, body })}
                >
                  <bdi>{`${method} ${path}`}</bdi>
                </UnstyledButton>
                {isCut ? (
                  <Text size="xs" c="dimmed">
                    {rest.cutBody}
                  </Text>
                ) : null}
              </>
            ),
          },
          { title: rest.status, cell: ({ status }) => (status === 0 ? '–' : status) },
          { title: rest.time, ...NUMBER, cell: ({ ms }) => `${ms} ms` },
          { title: rest.when, cell: ({ at }) => formatDateTime(at) },
        ]}
      />
    </Part>
  );
}
