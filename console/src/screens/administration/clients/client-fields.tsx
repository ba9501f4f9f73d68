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
import { useForm, type UseFormReturnType } from '@mantine/form';
import { areKeysWrong, withKind, type ClientDraft } from './draft';
import { isForPeople, KINDS, type Kind } from './kinds';
import { ScopeBuilder } from './scope-builder';

const words = texts.administration.clientScreens;
const MONOSPACE = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } };

export interface ClientFieldsProps {
  readonly tenant: string;
  readonly form: UseFormReturnType<ClientDraft>;
  /** The kind is chosen once. */
  readonly isNew: boolean;
}

/** The form of a client, which is not sent while its keys are wrong. */
export function useClientForm(initialValues: ClientDraft): UseFormReturnType<ClientDraft> {
  return useForm({
    initialValues,
    validate: { jwks: (_: string, draft: ClientDraft) => (areKeysWrong(draft) ? words.jwksWrong : null) },
    validateInputOnChange: ['jwks'],
  });
}

export function ClientFields({ tenant, form, isNew }: ClientFieldsProps) {
  const draft = form.values;
  const hasPeople = isForPeople(draft.kind);
  return (
    <Stack gap="lg">
      {isNew ? (
        <KindChoice kind={draft.kind} change={(kind) => form.setValues(withKind(draft, kind))} />
      ) : null}
      <TextInput
        label={words.name}
        description={words.nameHint}
        {...form.getInputProps('name')}
        required
        maw={480}
        autoComplete="off"
      />
      {hasPeople ? (
        <Textarea
          label={words.redirects}
          description={words.redirectsHint}
          placeholder={words.redirectsPlaceholder}
          {...form.getInputProps('redirectUris')}
          autosize
          minRows={2}
          required
          spellCheck={false}
          styles={MONOSPACE}
        />
      ) : null}
      {draft.kind === 'keys' ? <KeyFields form={form} /> : null}
      <ScopeBuilder
        value={draft.scopes}
        onChange={(scopes) => form.setFieldValue('scopes', scopes)}
        isForPeople={hasPeople}
      />
      <Accordion variant="contained">
        <Accordion.Item value="more">
          <Accordion.Control>{words.advanced}</Accordion.Control>
          <Accordion.Panel>
            <MoreFields tenant={tenant} form={form} />
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

function KeyFields({ form }: Pick<ClientFieldsProps, 'form'>) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <TextInput
        label={words.jwksUrl}
        description={words.jwksUrlHint}
        {...form.getInputProps('jwksUrl')}
        type="url"
        required={form.values.jwks.trim() === ''}
      />
      <Textarea
        label={words.jwks}
        description={words.jwksHint}
        {...form.getInputProps('jwks')}
        autosize
        minRows={2}
        maxRows={12}
        spellCheck={false}
        styles={MONOSPACE}
      />
    </SimpleGrid>
  );
}

function MoreFields({ tenant, form }: Omit<ClientFieldsProps, 'isNew'>) {
  const draft = form.values;
  const policies = usePolicies(tenant);
  const names = (policies.data ?? []).map(({ name }) => name);
  return (
    <Stack gap="md">
      <MultiSelect
        label={words.policies}
        description={words.policiesHint}
        data={[...new Set([...names, ...draft.policies])]}
        {...form.getInputProps('policies')}
        maw={480}
        clearable
      />
      <Checkbox
        label={words.administrator}
        description={words.administratorHint}
        {...form.getInputProps('isAdministrator', { type: 'checkbox' })}
      />
      <Checkbox
        label={words.auditor}
        description={words.auditorHint}
        {...form.getInputProps('isAuditor', { type: 'checkbox' })}
      />
      {isForPeople(draft.kind) ? (
        <Select
          label={words.algorithm}
          data={['RS256', 'ES256']}
          {...form.getInputProps('algorithm')}
          allowDeselect={false}
          maw={240}
        />
      ) : null}
    </Stack>
  );
}
