/** Codes of an expansion as a table. */
import { Anchor, Badge, Group, Table, Text } from '@mantine/core';
import { Link } from 'react-router';
import { shortUrl } from '../../fhir/format';
import type { ListedCode } from '../../fhir/terminology';
import { CopyIcon } from '../../layout/copy';
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
    <Table.ScrollContainer minWidth={420}>
      <Table verticalSpacing={4} className={classes['table'] ?? ''}>
        <Table.Caption className={classes['caption'] ?? ''}>{terminology.expansionCaption}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{terminology.code}</Table.Th>
            <Table.Th scope="col">{terminology.display}</Table.Th>
            <Table.Th scope="col">{terminology.system}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {codes.map(({ system, code, display, depth, isAbstract, isInactive }, index) => (
            <Table.Tr key={`${index}/${code}`}>
              <Table.Td>
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
              </Table.Td>
              <Table.Td>
                <Group gap="xs">
                  <Text size="sm">{display}</Text>
                  {isAbstract ? <Mark text={terminology.abstract} /> : null}
                  {isInactive ? <Mark text={terminology.inactive} /> : null}
                </Group>
              </Table.Td>
              <Table.Td title={system}>{shortUrl(system)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Mark({ text }: { readonly text: string }) {
  return (
    <Badge size="sm" variant="light" color="gray" c="inherit" tt="none">
      {text}
    </Badge>
  );
}
