/** Profiles, tags and security labels as chips, and everything else that the metadata say. */
import { Badge, Group, Stack, Text, Tooltip } from '@mantine/core';
import { isArray, objectsOf, textOf, type JsonObject } from '../../api/json';
import { texts } from '../../texts';
import { formatCoding, shortUrl } from '../format';
import { MemberList } from './member-list';

const CHIPS: ReadonlySet<string> = new Set(['profile', 'tag', 'security']);

export function MetaView({ meta }: { readonly meta: JsonObject }) {
  const profiles = isArray(meta['profile']) ? meta['profile'].flatMap((each) => textOf(each) ?? []) : [];
  const titleOf = (coding: JsonObject): string =>
    [coding['system'], coding['code']].flatMap((each) => textOf(each) ?? []).join(' | ');
  return (
    <Stack gap="xs" mt="md">
      <Text size="sm" fw={600}>
        {texts.record.metadata}
      </Text>
      <Chips
        label={texts.record.profiles}
        chips={profiles.map((url) => ({ words: shortUrl(url), title: url }))}
      />
      <Chips
        label={texts.record.tags}
        chips={objectsOf(meta['tag']).map((tag) => ({ words: formatCoding(tag), title: titleOf(tag) }))}
      />
      <Chips
        label={texts.record.securityLabels}
        chips={objectsOf(meta['security']).map((tag) => ({ words: formatCoding(tag), title: titleOf(tag) }))}
      />
      <MemberList object={meta} elements={[]} without={CHIPS} />
    </Stack>
  );
}

interface ChipsProps {
  readonly label: string;
  readonly chips: readonly { readonly words: string; readonly title: string }[];
}

function Chips({ label, chips }: ChipsProps) {
  if (chips.length === 0) return null;
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      {chips.map(({ words, title }) => (
        <Tooltip key={title} label={title} multiline maw={420}>
          <Badge variant="light" color="gray" tt="none" tabIndex={0}>
            {words}
          </Badge>
        </Tooltip>
      ))}
    </Group>
  );
}
