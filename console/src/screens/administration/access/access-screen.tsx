/** Who may do what, and why: a question, and the answer of the permissions that requests have. */
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { explainAccess } from '../../../api/administration';
import { useSpace } from '../../../layout/current-screen';
import { ScreenHeading } from '../../../layout/heading';
import { texts } from '../../../texts';
import { ChangeForm } from '../change-form';
import { useAsk, useTenant } from '../queries';
import { ReleaseChoice } from '../release-choice';
import { NO_QUESTION, toQuestion, whyNotContent, type QuestionDraft } from './access-question';
import { Explanation } from './explanation';
import { QuestionFields } from './question-fields';

const words = texts.administration.accessScreen;

export function AccessScreen() {
  const tenant = useTenant();
  const [release, setRelease] = useState(useSpace().release);
  const form = useForm<QuestionDraft>({
    initialValues: NO_QUESTION,
    validate: {
      client: (client, { user }) => (client === '' && user === '' ? words.somebody : null),
      content: whyNotContent,
    },
  });
  const asking = useAsk((draft: QuestionDraft) => explainAccess(tenant, toQuestion(draft, release)));
  return (
    <ChangeForm
      form={form}
      change={asking}
      send={(draft) => asking.mutate(draft)}
      action={words.ask}
      gap="md"
    >
      <ScreenHeading place={tenant} intro={words.intro}>
        <ReleaseChoice value={release} onChange={setRelease} />
      </ScreenHeading>
      <QuestionFields space={{ tenant, release }} form={form} anybody={words.noClient} />
      {asking.data === undefined ? null : <Explanation explained={asking.data} />}
    </ChangeForm>
  );
}
