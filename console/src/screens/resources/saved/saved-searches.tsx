/** The saved searches of a type, and the dialog that saves the one that is shown. */
import {
  ActionIcon,
  Anchor,
  Button,
  Checkbox,
  Group,
  Modal,
  Popover,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { FailureView } from '../../../layout/failure-view';
import { IconTrash } from '../../../layout/icons/icons';
import { usePerson } from '../../../layout/use-person';
import { fhirPath, type Space } from '../../../place';
import { texts } from '../../../texts';
import { removeOwn, saveOwn, useOwnSearches, type SavedSearch } from './own-searches';
import { readShared, share, unshare } from './shared-searches';

const { common, resources } = texts;
const { saved: words } = resources;
const FRESH_MS = 60_000;

export interface SavedSearchesProps {
  readonly space: Space;
  readonly type: string;
  /** The search that is shown, without its page. */
  readonly query: string;
}

export function SavedSearches(props: SavedSearchesProps) {
  const [isOpen, { toggle, close, set }] = useDisclosure(false);
  const [isSaving, saving] = useDisclosure(false);
  return (
    <>
      <Popover
        opened={isOpen}
        onChange={set}
        position="bottom-end"
        trapFocus
        // The button stays in view.
        hideDetached={false}
        withRoles
        shadow="md"
        width={320}
      >
        <Popover.Target>
          <Button size="xs" variant="default" onClick={toggle}>
            {words.title}
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label={words.title}>
          {isOpen ? (
            <Lists
              {...props}
              onSave={() => {
                close();
                saving.open();
              }}
            />
          ) : null}
        </Popover.Dropdown>
      </Popover>
      <Modal
        opened={isSaving}
        onClose={saving.close}
        title={words.save}
        closeButtonProps={{ 'aria-label': common.close }}
      >
        {isSaving ? <SaveForm {...props} onDone={saving.close} /> : null}
      </Modal>
    </>
  );
}

function Lists({ space, type, onSave }: SavedSearchesProps & { readonly onSave: () => void }) {
  const own = useOwnSearches(space).filter((each) => each.type === type);
  const queries = useQueryClient();
  const queryKey = ['shared-searches', space, type];
  const shared = useQuery({
    queryKey,
    queryFn: ({ signal }) => readShared(space, type, signal),
    staleTime: FRESH_MS,
    retry: false,
  });
  const removal = useMutation({
    mutationFn: (search: NonNullable<typeof shared.data>[number]) => unshare(space, search),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
  return (
    <Stack gap="sm">
      <SearchList
        title={words.own}
        space={space}
        searches={own}
        onRemove={(search) => removeOwn(space, search)}
      />
      {shared.isError ? (
        <Text size="sm" c="dimmed">
          {words.notRead}
        </Text>
      ) : (
        <SearchList
          title={words.shared}
          space={space}
          searches={shared.data ?? []}
          onRemove={(search) => removal.mutate(search)}
        />
      )}
      {removal.isError ? <FailureView error={removal.error} isOfRecords /> : null}
      <Button size="xs" variant="default" onClick={onSave}>
        {words.save}
      </Button>
    </Stack>
  );
}

interface SearchListProps<Search> {
  readonly title: string;
  readonly space: Space;
  readonly searches: readonly Search[];
  readonly onRemove: (search: Search) => void;
}

function SearchList<Search extends SavedSearch & { readonly id?: string }>(props: SearchListProps<Search>) {
  const { title, space, searches, onRemove } = props;
  return (
    <section aria-label={title}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {searches.length === 0 ? (
        <Text size="sm" c="dimmed">
          {words.none}
        </Text>
      ) : null}
      {searches.map((search) => (
        <Group key={search.id ?? search.name} gap="xs" wrap="nowrap" justify="space-between">
          <Anchor
            component={Link}
            size="sm"
            to={{ pathname: fhirPath(space, search.type), search: search.query }}
            style={{ overflowWrap: 'anywhere' }}
          >
            {search.name}
          </Anchor>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={words.remove(search.name)}
            onClick={() => onRemove(search)}
          >
            <IconTrash size={14} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
    </section>
  );
}

function SaveForm({ space, type, query, onDone }: SavedSearchesProps & { readonly onDone: () => void }) {
  const person = usePerson(space);
  const queries = useQueryClient();
  const [isShared, setIsShared] = useState(false);
  const form = useForm({ initialValues: { name: '' } });
  const saving = useMutation({
    mutationFn: async (name: string) => {
      const search = { name, type, query };
      if (isShared) await share(space, search, person?.record);
      else saveOwn(space, search);
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['shared-searches', space, type] });
      onDone();
    },
  });
  return (
    <form onSubmit={form.onSubmit(({ name }) => saving.mutate(name.trim()))}>
      <Stack gap="sm">
        <TextInput
          label={words.name}
          {...form.getInputProps('name')}
          required
          maxLength={100}
          pattern=".*\S.*"
          data-autofocus
        />
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {query === '' ? type : `${type}?${query}`}
        </Text>
        <Checkbox
          label={words.share}
          description={words.shareHint}
          checked={isShared}
          onChange={({ currentTarget }) => setIsShared(currentTarget.checked)}
        />
        {saving.isError ? <FailureView error={saving.error} isOfRecords /> : null}
        <Group justify="end">
          <Button type="submit" loading={saving.isPending}>
            {words.saveNow}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
