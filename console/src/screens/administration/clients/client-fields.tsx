/** The fields of a client in words that need no documentation. */
import {
  Accordion,
  Checkbox,
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { texts } from '../../../texts';
import { usePolicies } from '../queries';
import { RadioCards } from '../radio-cards';
import { areKeys, withKind, type ClientDraft } from './draft';
import { isForPeople, KINDS, type Kind } from './kinds';
import { ScopeBuilder } from './scope-builder';

const words = texts.administration.clientScreens;
const MONOSPACE = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } };

export interface ClientFieldsProps {
  readonly tenant: string;
  readonly draft: ClientDraft;
  readonly change: (draft: ClientDraft) => void;
  /** The kind is chosen once. */
  readonly isNew: boolean;
}

export function ClientFields({ tenant, draft, change, isNew }: ClientFieldsProps) {
  const hasPeople = isForPeople(draft.kind);
  return (
    <Stack gap="lg">
      {isNew ? <KindChoice kind={draft.kind} change={(kind) => change(withKind(draft, kind))} /> : null}
      <TextInput
        label={words.name}
        description={words.nameHint}
        value={draft.name}
        onChange={(event) => change({ ...draft, name: event.currentTarget.value })}
        required
        maw={480}
        autoComplete="off"
      />
      {hasPeople ? (
        <Textarea
          label={words.redirects}
          description={words.redirectsHint}
          placeholder={words.redirectsPlaceholder}
          value={draft.redirectUris}
          onChange={(event) => change({ ...draft, redirectUris: event.currentTarget.value })}
          autosize
          minRows={2}
          required
          spellCheck={false}
          styles={MONOSPACE}
        />
      ) : null}
      {draft.kind === 'keys' ? <KeyFields draft={draft} change={change} /> : null}
      <ScopeBuilder
        value={draft.scopes}
        onChange={(scopes) => change({ ...draft, scopes })}
        isForPeople={hasPeople}
      />
      <Accordion variant="contained">
        <Accordion.Item value="more">
          <Accordion.Control>{words.advanced}</Accordion.Control>
          <Accordion.Panel>
            <MoreFields tenant={tenant} draft={draft} change={change} />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Stack>
  );
}

function KindChoice({ kind, change }: { readonly kind: Kind; readonly change: (kind: Kind) => void }) {
  const choices = KINDS.map((value) => ({ value, title: words.kinds[value], hint: words.kindHints[value] }));
  return <RadioCards label={words.kind} value={kind} choices={choices} onChoose={change} />;
}

type DraftProps = Pick<ClientFieldsProps, 'draft' | 'change'>;

function KeyFields({ draft, change }: DraftProps) {
  const isWrong = draft.jwks.trim() !== '' && !areKeys(draft.jwks);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <TextInput
        label={words.jwksUrl}
        description={words.jwksUrlHint}
        value={draft.jwksUrl}
        onChange={(event) => change({ ...draft, jwksUrl: event.currentTarget.value })}
        type="url"
        required={draft.jwks.trim() === ''}
      />
      <Textarea
        label={words.jwks}
        description={words.jwksHint}
        value={draft.jwks}
        onChange={(event) => change({ ...draft, jwks: event.currentTarget.value })}
        error={isWrong ? words.jwksWrong : undefined}
        autosize
        minRows={2}
        maxRows={12}
        spellCheck={false}
        styles={MONOSPACE}
      />
    </SimpleGrid>
  );
}

function MoreFields({ tenant, draft, change }: Omit<ClientFieldsProps, 'isNew'>) {
  const policies = usePolicies(tenant);
  const names = (policies.data ?? []).map(({ name }) => name);
  return (
    <Stack gap="md">
      <MultiSelect
        label={words.policies}
        description={words.policiesHint}
        data={[...new Set([...names, ...draft.policies])]}
        value={[...draft.policies]}
        onChange={(chosen) => change({ ...draft, policies: chosen })}
        maw={480}
        clearable
      />
      <Checkbox
        label={words.administrator}
        description={words.administratorHint}
        checked={draft.isAdministrator}
        onChange={(event) => change({ ...draft, isAdministrator: event.currentTarget.checked })}
      />
      <Checkbox
        label={words.auditor}
        description={words.auditorHint}
        checked={draft.isAuditor}
        onChange={(event) => change({ ...draft, isAuditor: event.currentTarget.checked })}
      />
      {isForPeople(draft.kind) ? (
        <Select
          label={words.algorithm}
          data={['RS256', 'ES256']}
          value={draft.algorithm}
          onChange={(value) => change({ ...draft, algorithm: value === 'ES256' ? 'ES256' : 'RS256' })}
          allowDeselect={false}
          maw={240}
        />
      ) : null}
    </Stack>
  );
}
