/** The answer to a question about access. */
import { Code, Stack, Text } from '@mantine/core';
import type { AccessExplanation } from '../../../api/administration';
import { RecordTable } from '../../../layout/record-table';
import { texts } from '../../../texts';
import { StateBadge } from '../status-badge';

const words = texts.administration.accessScreen;
type Answer = AccessExplanation['answers'][number];

const COLORS = { yes: 'teal', some: 'yellow', no: 'red' } as const;

export function Explanation({ explained }: { readonly explained: AccessExplanation }) {
  return (
    <Stack gap="sm" role="status">
      <Text fw={600}>
        <bdi>{explained.who}</bdi>
      </Text>
      <RecordTable
        rows={explained.answers}
        caption={words.caption}
        hasCaption
        minWidth={640}
        keyOf={({ interaction }) => interaction}
        columns={[
          { title: words.interaction, cell: ({ interaction }) => words.interactions[interaction] },
          {
            title: words.allowed,
            cell: ({ allowed }) => <StateBadge color={COLORS[allowed]} label={words.answers[allowed]} />,
          },
          { title: words.reason, cell: (answer) => <Reason answer={answer} /> },
        ]}
      />
      <Paths label={words.hidden} paths={explained.hidden} />
      <Paths label={words.hiddenHere} paths={explained.hiddenHere} />
      <Paths label={words.readOnly} paths={explained.readOnly} />
      <Paths label={words.patients} paths={explained.patients} />
      <Paths label={words.boundTo} paths={explained.boundTo} />
    </Stack>
  );
}

/** The sentence, and each scope and rule with what it allows. */
function Reason({ answer: { reason, grants } }: { readonly answer: Answer }) {
  return (
    <>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {reason}
      </Text>
      {grants.map(({ grant, policy, rule = 0, allows }) => (
        <Text
          key={`${policy ?? ''} ${rule} ${grant}`}
          size="xs"
          c="dimmed"
          style={{ overflowWrap: 'anywhere' }}
        >
          {words.allows[allows]}: {policy === undefined ? '' : words.rule(policy, rule)} <bdi>{grant}</bdi>
        </Text>
      ))}
    </>
  );
}

function Paths({
  label,
  paths = [],
}: {
  readonly label: string;
  readonly paths?: readonly string[] | undefined;
}) {
  if (paths.length === 0) return null;
  return (
    <Text size="sm" component="div">
      {label}:{' '}
      {paths.map((path) => (
        <Code key={path} mr={4}>
          {path}
        </Code>
      ))}
    </Text>
  );
}
