/** One policy as JSON, with the errors of the server and a guard against lost changes. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useRef, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { putPolicy, readPolicy, removePolicy, type Policy } from '../../../api/administration';
import { Failure } from '../../../api/failure';
import type { EditorHandle } from '../../../editor/code-editor';
import { useSpace } from '../../../layout/current-screen';
import { Loaded, Loading } from '../../../layout/loaded';
import { administrationPath } from '../../../place';
import { texts } from '../../../texts';
import { Confirm } from '../confirm';
import { Part, ScreenHeading } from '../../../layout/heading';
import { useChange, useTenant } from '../queries';
import { ChangeForm } from '../change-form';
import { EXAMPLES, printPolicy, whyNotJson } from './examples';
import { PolicyTrial } from './policy-trial';

const PolicyEditor = lazy(() => import('./policy-editor'));

const { form, policyScreens: words } = texts.administration;

interface Stored {
  readonly text: string;
  /** Undefined: the policy does not exist. */
  readonly tag: string | undefined;
}

async function load(tenant: string, name: string): Promise<Stored> {
  try {
    const { policy, tag } = await readPolicy(tenant, name);
    return { text: printPolicy(policy), tag };
  } catch (error) {
    if (error instanceof Failure && error.status === 404)
      return { text: printPolicy(EXAMPLES.ward), tag: undefined };
    throw error;
  }
}

export function PolicyScreen() {
  const tenant = useTenant();
  const { policy: name = '' } = useParams();
  // What is being written must not be replaced, so that it is loaded again only when somebody asks for it.
  const stored = useQuery({
    queryKey: ['policy', tenant, name],
    queryFn: () => load(tenant, name),
    gcTime: 0,
    staleTime: Infinity,
  });
  return (
    <Loaded query={stored}>
      {(found) => (
        <Editor
          key={`${name} ${stored.dataUpdatedAt}`}
          tenant={tenant}
          name={name}
          stored={found}
          reload={() => stored.refetch()}
        />
      )}
    </Loaded>
  );
}

interface EditorProps {
  readonly tenant: string;
  readonly name: string;
  readonly stored: Stored;
  readonly reload: () => Promise<unknown>;
}

function Editor({ tenant, name, stored, reload }: EditorProps) {
  const draft = useForm({
    initialValues: { text: stored.text },
    validate: { text: faultOf },
    validateInputOnChange: true,
  });
  const [tag, setTag] = useState(stored.tag);
  const editor = useRef<EditorHandle>(null);
  const { release } = useSpace();
  const navigate = useNavigate();
  const saving = useChange(async (body: string) => {
    // The server says what is wrong with a text that is JSON and no policy.
    await putPolicy(tenant, name, { body: JSON.parse(body) as Policy, tag });
    setTag((await readPolicy(tenant, name)).tag);
  });
  const back = async (): Promise<void> => {
    await navigate(administrationPath(tenant, 'policies'), { replace: true });
  };
  const removal = useChange(() => removePolicy(tenant, name, tag ?? '*'));
  const isConflict = saving.error instanceof Failure && saving.error.status === 412;
  const { text } = draft.values;
  return (
    <Stack gap="xl">
      <ChangeForm
        form={draft}
        change={saving}
        send={(sent) => saving.mutate(sent.text)}
        action={form.save}
        gap="md"
        others={
          <Button variant="default" onClick={() => void back()}>
            {texts.common.cancel}
          </Button>
        }
        hasNotice
        {...(isConflict ? { failure: <Conflict reload={reload} /> } : {})}
      >
        <ScreenHeading title={name} place={tenant} {...(tag === undefined ? { intro: words.isNew } : {})}>
          {tag === undefined ? null : (
            <Confirm
              label={words.remove}
              title={words.removeTitle(name)}
              words={words.removeWords}
              action={form.remove}
              button={{ color: 'red', variant: 'outline' }}
              run={async () => {
                await removal.mutateAsync(undefined);
                await back();
              }}
            />
          )}
        </ScreenHeading>
        <Suspense fallback={<Loading />}>
          {/* The examples write into the editor, so that they come with it. */}
          <Part title={words.examples}>
            <Group gap="xs">
              {(['ward', 'own', 'hidden', 'read'] as const).map((example) => (
                <Button
                  key={example}
                  size="xs"
                  variant="default"
                  onClick={() => editor.current?.replace(printPolicy(EXAMPLES[example]))}
                >
                  {words.exampleNames[example]}
                </Button>
              ))}
            </Group>
          </Part>
          <Part title={words.definition} hint={words.definitionHint}>
            <PolicyEditor
              ref={editor}
              space={{ tenant, release }}
              text={stored.text}
              label={words.definition}
              onChange={(changed) => draft.setFieldValue('text', changed)}
            />
            {draft.errors['text'] === undefined ? null : (
              <Text size="sm" c="red" role="alert">
                {draft.errors['text']}
              </Text>
            )}
          </Part>
        </Suspense>
      </ChangeForm>
      <PolicyTrial tenant={tenant} name={name} text={text} />
    </Stack>
  );
}

function faultOf(text: string): string | null {
  const fault = whyNotJson(text);
  return fault === undefined ? null : words.notJson(fault);
}

function Conflict({ reload }: Pick<EditorProps, 'reload'>) {
  return (
    <Alert color="red" role="alert" title={words.conflictTitle}>
      <Text size="sm" mb="sm">
        {words.conflict}
      </Text>
      <Button size="xs" variant="default" onClick={() => void reload()}>
        {words.load}
      </Button>
    </Alert>
  );
}
