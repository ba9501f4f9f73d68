/** Makes one scope of its parts: whose data, which type, what the client may do, under which condition. */
import { Button, Checkbox, Group, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSpace } from '../../../layout/current-screen';
import { texts } from '../../../texts';
import { useTypes } from '../use-types';
import { CONTEXTS, INTERACTIONS, toScope, type DataScope } from './scopes';

const words = texts.administration.clientScreens;
const EVERY = '*';

export function AddScope({
  isForPeople,
  add,
}: {
  readonly isForPeople: boolean;
  readonly add: (scope: string) => void;
}) {
  const types = useTypes(useSpace());
  const [draft, setDraft] = useState<Omit<DataScope, 'context'>>({
    type: EVERY,
    interactions: new Set(['r', 's']),
    condition: '',
  });
  const [person, setPerson] = useState<'patient' | 'user'>('patient');
  const context = isForPeople ? person : 'system';
  const contexts = CONTEXTS.filter((each) => (each === 'system') !== isForPeople);
  const isEvery = draft.type === EVERY;
  return (
    <Stack gap="xs" role="group" aria-label={words.addScope}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <Select
          label={words.context}
          data={contexts.map((value) => ({ value, label: words.contexts[value] }))}
          value={context}
          onChange={(value) => setPerson(value === 'user' ? 'user' : 'patient')}
          allowDeselect={false}
        />
        <Select
          label={words.type}
          data={[{ value: EVERY, label: words.everyType }, ...types]}
          value={draft.type}
          onChange={(type) => setDraft({ ...draft, type: type ?? EVERY })}
          searchable
          allowDeselect={false}
        />
      </SimpleGrid>
      <Checkbox.Group
        label={words.interactions}
        value={[...draft.interactions]}
        onChange={(chosen) => {
          const interactions = new Set(INTERACTIONS.filter((letter) => chosen.includes(letter)));
          setDraft({ ...draft, interactions });
        }}
      >
        <Group gap="md" mt={6}>
          {INTERACTIONS.map((letter) => (
            <Checkbox key={letter} value={letter} label={words.interaction[letter]} size="sm" />
          ))}
        </Group>
      </Checkbox.Group>
      <Group gap="sm" align="end">
        <TextInput
          label={words.condition}
          description={isEvery ? words.conditionNeedsType : words.conditionHint}
          value={isEvery ? '' : draft.condition}
          onChange={(event) => setDraft({ ...draft, condition: event.currentTarget.value })}
          disabled={isEvery}
          flex="1 1 260px"
        />
        <Button
          variant="default"
          disabled={draft.interactions.size === 0}
          onClick={() => add(toScope({ ...draft, context, condition: isEvery ? '' : draft.condition }))}
        >
          {words.addScope}
        </Button>
      </Group>
    </Stack>
  );
}
