/** Codes of an expansion as a table. */
import { Anchor, Badge, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { shortUrl } from '../../fhir/format';
import type { ListedCode } from '../../fhir/terminology';
import { CopyIcon } from '../../layout/copy';
import { RecordTable } from '../../layout/record-table';
import { codePath, type Space } from '../../place';
import { texts } from '../../texts';
import classes from './terminology.module.css';

const { terminology } = texts;
const INDENT_PX = 16;

export function CodeTable({
  space,
  codes,
}: {
  readonly space: Space;
  readonly codes: readonly ListedCode[];
}) {
  return (
    <RecordTable
      rows={codes}
      caption={terminology.expansionCaption}
      look={{ verticalSpacing: 4 }}
      minWidth={420}
      keyOf={({ code }, index) => `${index}/${code}`}
      columns={[
        {
          title: terminology.code,
          cell: ({ system, code, depth }) => (
            <Group gap={4} wrap="nowrap" pl={depth * INDENT_PX}>
              <Anchor
                component={Link}
                to={codePath(space, system, code)}
                size="sm"
                className={classes['code'] ?? ''}
              >
                {code}
              </Anchor>
              <CopyIcon value={code} what={code} />
            </Group>
          ),
        },
        {
          title: terminology.display,
          cell: ({ display, isAbstract, isInactive }) => (
            <Group gap="xs">
              <Text size="sm">{display}</Text>
              {isAbstract ? <Mark text={terminology.abstract} /> : null}
              {isInactive ? <Mark text={terminology.inactive} /> : null}
            </Group>
          ),
        },
        {
          title: terminology.system,
          cell: ({ system }) => <span title={system}>{shortUrl(system)}</span>,
        },
      ]}
    />
  );
}

function Mark({ text }: { readonly text: string }) {
  return (
    <Badge size="sm" variant="light" color="gray" c="inherit" tt="none">
      {text}
    </Badge>
  );
}
