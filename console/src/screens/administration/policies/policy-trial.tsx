/** Tries the text of a policy against a type or a record, before it is saved. */
import { Button, Group, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { explainAccess, type Policy } from '../../../api/administration';
import { useSpace } from '../../../layout/current-screen';
import { FailureView } from '../../../layout/failure-view';
import { Part } from '../../../layout/heading';
import { texts } from '../../../texts';
import { NO_QUESTION, toQuestion, whyNotContent, type QuestionDraft } from '../access/access-question';
import { Explanation } from '../access/explanation';
import { QuestionFields } from '../access/question-fields';
import { useAsk } from '../queries';
import { whyNotJson } from './examples';

const words = texts.administration.accessScreen;

export function PolicyTrial({
  tenant,
  name,
  text,
}: {
  readonly tenant: string;
  readonly name: string;
  readonly text: string;
}) {
  const { release } = useSpace();
  const form = useForm<QuestionDraft>({ initialValues: NO_QUESTION, validate: { content: whyNotContent } });
  const trying = useAsk((draft: QuestionDraft) => {
    // The server says what is wrong with a text that is JSON and no policy.
    const definition = JSON.parse(text) as Policy;
    return explainAccess(tenant, { ...toQuestion(draft, release), policy: { name, definition } });
  });
  return (
    <Part title={words.tryTitle} hint={words.tryHint}>
      <form onSubmit={form.onSubmit((draft) => trying.mutate(draft))}>
        <Stack gap="sm">
          <QuestionFields space={{ tenant, release }} form={form} anybody={words.policyAlone} />
          <Group>
            <Button
              type="submit"
              variant="default"
              loading={trying.isPending}
              disabled={whyNotJson(text) !== undefined}
            >
              {words.tryIt}
            </Button>
          </Group>
        </Stack>
      </form>
      {trying.isError ? <FailureView error={trying.error} /> : null}
      {trying.data === undefined ? null : <Explanation explained={trying.data} />}
    </Part>
  );
}
