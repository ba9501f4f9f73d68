/** Somebody else has saved a record meanwhile: who and when, what is different, and what can be done. */
import { Alert, Button, CopyButton, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { Link } from 'react-router';
import { isObject, valueSteps, type JsonObject } from '../../../api/json';
import { historyOf, type RecordVersion } from '../../../api/records';
import type { Steps } from '../../../api/slices';
import { formatDateTime } from '../../../fhir/format-date';
import { Loaded } from '../../../layout/loaded';
import { useSliced } from '../../../layout/use-sliced';
import { resourcePath, type Space } from '../../../place';
import { texts } from '../../../texts';
import { AuthorView } from '../history/history-author';
import { useAuthors } from '../history/history-people';
import { versionOf } from '../../../fhir/server-meta';
import { Merge } from './editor-merge';

const { editing, common } = texts;

export interface ConflictProps {
  readonly space: Space;
  readonly address: { readonly type: string; readonly id: string };
  /** The version that the text began with. */
  readonly base: JsonObject;
  readonly text: string;
  /** Takes a text that joins the changes of both; `now`: the version that it is to replace. */
  readonly onMerged: (record: JsonObject, now: JsonObject) => void;
  /** Loads the version that is current now; undefined: the record is deleted. */
  readonly onDiscard: (now: JsonObject | undefined) => void;
  /** Writes the text over this version; undefined: over the deletion. */
  readonly onOverwrite: (version: string | undefined) => void;
}

export function Conflict(props: ConflictProps) {
  const { space, address } = props;
  const newest = useQuery({
    queryKey: ['conflict', space, address.type, address.id],
    queryFn: async () => (await historyOf(space, address, { first: 1 })).versions[0] ?? null,
    gcTime: 0,
    staleTime: 0,
  });
  return (
    <Loaded query={newest}>
      {(version) => (version === null ? null : <Choice {...props} version={version} />)}
    </Loaded>
  );
}

function* objectSteps(text: string): Steps<JsonObject | undefined> {
  try {
    const value = yield* valueSteps(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function Choice(props: ConflictProps & { readonly version: RecordVersion }) {
  const { space, base, text, version, onMerged } = props;
  const { versionId, resource } = version;
  const mine = useSliced(useCallback(() => objectSteps(text), [text]));
  return (
    <Alert
      color="orange"
      variant="outline"
      // The table of differences scrolls, and does not widen the message.
      styles={{ body: { minWidth: 0 } }}
      role="alert"
      title={resource === undefined ? editing.conflictDeleted : editing.conflictTitle(versionId)}
    >
      <Stack gap="sm">
        <Saved {...props} />
        <Text size="sm">
          {resource === undefined
            ? editing.conflictDeletedText
            : editing.conflictText(versionOf(base), versionId)}
        </Text>
        {resource === undefined || mine === undefined ? null : (
          <Merge
            space={space}
            versions={{ base, theirs: resource, mine }}
            current={versionId}
            onMerged={(record) => onMerged(record, resource)}
          />
        )}
        <Choices {...props} />
      </Stack>
    </Alert>
  );
}

/** When and by whom the other version was saved. */
function Saved({ space, address, version }: ConflictProps & { readonly version: RecordVersion }) {
  const author = useAuthors(space, address, [version])(version);
  return (
    <Text size="sm" component="div">
      {formatDateTime(version.lastUpdated)} · <AuthorView space={space} author={author} />
    </Text>
  );
}

function Choices(props: ConflictProps & { readonly version: RecordVersion }) {
  const { space, address, text, version, onDiscard, onOverwrite } = props;
  const { versionId, resource } = version;
  const isGone = resource === undefined;
  return (
    <Group gap="xs">
      {isGone ? null : (
        <Button
          size="xs"
          variant="default"
          component={Link}
          to={resourcePath(space, address.type, address.id, versionId)}
        >
          {editing.lookAt(versionId)}
        </Button>
      )}
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button size="xs" variant="default" onClick={copy}>
            {copied ? common.copied : editing.copyMine}
          </Button>
        )}
      </CopyButton>
      <Button size="xs" variant="default" onClick={() => onDiscard(resource)}>
        {isGone ? editing.discard : editing.discardMine}
      </Button>
      <Button
        size="xs"
        color="red"
        variant="light"
        onClick={() => onOverwrite(isGone ? undefined : versionId)}
      >
        {isGone ? editing.saveDeleted : editing.overwrite(versionId)}
      </Button>
    </Group>
  );
}
