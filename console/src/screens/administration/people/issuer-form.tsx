/** The form of an identity provider. */
import { Button, Group, Modal, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { putIssuer, type Issuer } from '../../../api/administration';
import { FailureView } from '../../../layout/failure-view';
import { texts } from '../../../texts';
import { useChange, useClients } from '../queries';
import { ReleaseScopeSelect } from './release-scope-select';
import { printScopeMap, readScopeMap } from './scope-map';

const { form, people } = texts.administration;
const words = people.issuers;

const NEW: Issuer = {
  issuer: '',
  client: '',
  audience: '',
  jwksUrl: '',
  release: 'r4',
  scopeClaim: 'scope',
  scopeMap: {},
  userClaim: 'fhirUser',
  patientClaim: 'patient',
};

/** Fields of one line, in their order. */
const LINES = [
  { name: 'issuer', label: words.issuer, hint: words.issuerHint, type: 'url' },
  { name: 'audience', label: words.audience, hint: words.audienceHint, type: 'text' },
  { name: 'jwksUrl', label: words.jwksUrl, hint: words.jwksUrlHint, type: 'url' },
] as const;
const CLAIMS = [
  { name: 'scopeClaim', label: words.scopeClaim },
  { name: 'userClaim', label: words.userClaim },
  { name: 'patientClaim', label: words.patientClaim },
] as const;

export function IssuerForm({
  tenant,
  issuer,
  close,
}: {
  readonly tenant: string;
  /** Undefined: a new one. */
  readonly issuer: Issuer | undefined;
  readonly close: () => void;
}) {
  const clients = useClients(tenant);
  const [draft, setDraft] = useState(issuer ?? NEW);
  const [map, setMap] = useState(printScopeMap(draft.scopeMap ?? {}));
  const saving = useChange(() => {
    const { scopeMap: _, ...others } = draft;
    const scopeMap = readScopeMap(map);
    return putIssuer(tenant, { ...others, ...(Object.keys(scopeMap).length === 0 ? {} : { scopeMap }) });
  });
  return (
    <Modal
      opened
      onClose={close}
      title={issuer === undefined ? words.new : words.edit(issuer.issuer)}
      size="lg"
      closeButtonProps={{ 'aria-label': texts.common.close }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate(undefined, { onSuccess: close });
        }}
      >
        <Stack gap="sm">
          {LINES.map(({ name, label, hint, type }) => (
            <TextInput
              key={name}
              label={label}
              description={hint}
              type={type}
              value={draft[name]}
              onChange={(event) => setDraft({ ...draft, [name]: event.currentTarget.value })}
              readOnly={name === 'issuer' && issuer !== undefined}
              required
            />
          ))}
          <Select
            label={words.client}
            data={(clients.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            value={draft.client === '' ? null : draft.client}
            onChange={(client) => setDraft({ ...draft, client: client ?? '' })}
            searchable
            required
          />
          <ReleaseScopeSelect
            label={words.release}
            value={draft.release}
            onChange={(release) => setDraft({ ...draft, release })}
          />
          {CLAIMS.map(({ name, label }) => (
            <TextInput
              key={name}
              label={label}
              value={draft[name]}
              onChange={(event) => setDraft({ ...draft, [name]: event.currentTarget.value })}
            />
          ))}
          <Textarea
            label={words.scopeMap}
            description={words.scopeMapHint}
            value={map}
            onChange={(event) => setMap(event.currentTarget.value)}
            autosize
            minRows={2}
            spellCheck={false}
          />
          {saving.isError ? <FailureView error={saving.error} /> : null}
          <Group justify="end" gap="sm">
            <Button variant="default" onClick={close}>
              {texts.common.cancel}
            </Button>
            <Button type="submit" loading={saving.isPending}>
              {form.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
