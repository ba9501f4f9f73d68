/** The form of an identity provider. */
import { Select, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { putIssuer, type Issuer } from '../../../api/administration';
import { texts } from '../../../texts';
import { ChangeDialog } from '../change-form';
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
  const draft = useForm({
    initialValues: { ...(issuer ?? NEW), scopeMap: printScopeMap(issuer?.scopeMap ?? {}) },
  });
  const saving = useChange(({ scopeMap: map, ...others }: typeof draft.values) => {
    const scopeMap = readScopeMap(map);
    return putIssuer(tenant, { ...others, ...(Object.keys(scopeMap).length === 0 ? {} : { scopeMap }) });
  });
  return (
    <ChangeDialog
      title={issuer === undefined ? words.new : words.edit(issuer.issuer)}
      size="lg"
      form={draft}
      change={saving}
      send={(given) => saving.mutate(given, { onSuccess: close })}
      action={form.save}
      close={close}
    >
      {LINES.map(({ name, label, hint, type }) => (
        <TextInput
          key={name}
          label={label}
          description={hint}
          type={type}
          {...draft.getInputProps(name)}
          readOnly={name === 'issuer' && issuer !== undefined}
          required
        />
      ))}
      <Select
        label={words.client}
        data={(clients.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={draft.values.client === '' ? null : draft.values.client}
        onChange={(client) => draft.setFieldValue('client', client ?? '')}
        searchable
        required
      />
      <ReleaseScopeSelect
        label={words.release}
        value={draft.values.release}
        onChange={(release) => draft.setFieldValue('release', release)}
      />
      {CLAIMS.map(({ name, label }) => (
        <TextInput key={name} label={label} {...draft.getInputProps(name)} />
      ))}
      <Textarea
        label={words.scopeMap}
        description={words.scopeMapHint}
        {...draft.getInputProps('scopeMap')}
        autosize
        minRows={2}
        spellCheck={false}
      />
    </ChangeDialog>
  );
}
