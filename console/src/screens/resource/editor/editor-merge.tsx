/** Joins what a person and somebody else have changed; the person decides where both have changed the same. */
import { Button, Radio, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { isArray, textOf, type JsonObject, type JsonValue } from '../../../api/json';
import { locationOf, type Location } from '../../../editor/element-at';
import { useKnowledge } from '../../../editor/snapshots';
import { withoutServerMeta } from '../../../fhir/compare/diff';
import { formatValue } from '../../../fhir/format';
import { mergeOf, type Collision, type Side, type ThreeVersions } from '../../../fhir/compare/merge';
import { Disclosure } from '../../../layout/disclosure';
import { Loaded } from '../../../layout/loaded';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { DiffView, ValueView } from '../history/diff-view';

const { editing, history } = texts;

export interface MergeProps {
  readonly space: Space;
  /** `theirs`: the version that is current now. */
  readonly versions: ThreeVersions;
  /** Number of the version that is current now. */
  readonly current: string;
  readonly onMerged: (record: JsonObject) => void;
}

export function Merge(props: MergeProps) {
  const { space, versions } = props;
  const { definition } = useKnowledge(space);
  const type = textOf(versions.mine['resourceType']) ?? '';
  const root = useQuery({
    queryKey: ['merge', space, type],
    queryFn: async () => (await locationOf(definition, type)) ?? null,
    staleTime: Infinity,
  });
  return <Loaded query={root}>{(found) => <Joined {...props} root={found ?? undefined} />}</Loaded>;
}

function Joined({
  space,
  versions,
  current,
  onMerged,
  root,
}: MergeProps & { readonly root: Location | undefined }) {
  const [choices, setChoices] = useState<ReadonlyMap<string, Side>>(new Map());
  const [isShown, { toggle }] = useDisclosure(false);
  const { base, theirs, mine } = versions;
  const plain = useMemo(
    () => ({
      base: withoutServerMeta(base),
      theirs: withoutServerMeta(theirs),
      mine: withoutServerMeta(mine),
    }),
    [base, theirs, mine],
  );
  const { record, collisions } = useMemo(() => mergeOf(plain, root, choices), [plain, root, choices]);
  const open = collisions.filter(({ key }) => !choices.has(key)).length;
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        {collisions.length === 0 ? editing.mergeClean : editing.mergeOpen(open, collisions.length)}
      </Text>
      {collisions.map((collision) => (
        <CollisionView
          key={collision.key}
          collision={collision}
          current={current}
          chosen={choices.get(collision.key)}
          onChoose={(side) => setChoices(new Map([...choices, [collision.key, side]]))}
        />
      ))}
      <Disclosure label={editing.theirChanges(current)} isOpen={isShown} onToggle={toggle} />
      {isShown ? (
        <DiffView
          space={space}
          before={base}
          after={theirs}
          labels={[editing.begunWith, history.versionNumber(current)]}
        />
      ) : null}
      {open > 0 ? null : (
        <section aria-label={editing.mergeResult(current)}>
          <Title order={3} size="h6" mb={4}>
            {editing.mergeResult(current)}
          </Title>
          <DiffView
            space={space}
            before={plain.theirs}
            after={record}
            labels={[history.versionNumber(current), editing.merged]}
          />
        </section>
      )}
      <Button size="xs" style={{ alignSelf: 'start' }} disabled={open > 0} onClick={() => onMerged(record)}>
        {editing.takeMerged}
      </Button>
    </Stack>
  );
}

interface CollisionProps {
  readonly collision: Collision;
  readonly current: string;
  readonly chosen: Side | undefined;
  readonly onChoose: (side: Side) => void;
}

/** One item of a list is shown without the list. */
function itemOf(value: JsonValue | undefined): JsonValue | undefined {
  return isArray(value) && value.length < 2 ? value[0] : value;
}

function CollisionView({ collision, current, chosen, onChoose }: CollisionProps) {
  const { key, canHaveBoth } = collision;
  const [base, theirs, mine] = [collision.base, collision.theirs, collision.mine].map(itemOf);
  // Words that do not tell the sides apart are left out, and the JSON is shown.
  const hasWords = formatValue(theirs) !== formatValue(mine);
  const view = (value: JsonValue | undefined) => {
    const words = hasWords ? formatValue(value) : '';
    return words === '' ? <ValueView value={value} words="" /> : words;
  };
  const options = [
    { side: 'theirs', label: history.versionNumber(current), value: theirs },
    { side: 'mine', label: editing.yours, value: mine },
  ] as const;
  return (
    <Radio.Group
      label={key === '' ? editing.wholeRecord : key}
      value={chosen ?? null}
      onChange={(side) => onChoose(side)}
    >
      <Stack gap={4} mt={4}>
        <Text size="xs" c="dimmed" component="div">
          {editing.before} {view(base)}
        </Text>
        {options.map(({ side, label, value }) => (
          <Radio key={side} value={side} label={label} description={view(value)} />
        ))}
        {canHaveBoth ? <Radio value="both" label={editing.both} /> : null}
      </Stack>
    </Radio.Group>
  );
}
