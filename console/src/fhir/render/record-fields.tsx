/** Everything that a record says, under the words of its definition. */
import { Paper, Text } from '@mantine/core';
import { objectsOf, isObject, textOf, type JsonObject } from '../../api/json';
import { Loading } from '../../layout/loaded';
import { headlineOf } from '../headline';
import { versionOf } from '../server-meta';
import { AttachmentView } from './attachment-view';
import { MemberList } from './member-list';
import { MetaView } from './meta-view';
import { Inside, ItemBudget, Parts } from './parts';
import classes from './render.module.css';
import { useRenderSpace } from './render-space';
import { Row } from './row';
import { useDefinition } from '../search/search-definitions';

export interface RecordFieldsProps {
  readonly record: JsonObject;
  /** A resource inside of another one. */
  readonly isInside?: boolean;
}

const BINARY = new Set(['data']);

export function RecordFields({ record, isInside = false }: RecordFieldsProps) {
  const type = textOf(record['resourceType']) ?? '';
  const definition = useDefinition(useRenderSpace(), type);
  if (definition.isLoading) return <Loading />;
  const elements = definition.data?.elements ?? [];
  const { contained, meta } = record;
  const said = new Set([
    'resourceType',
    'contained',
    ...(isObject(meta) ? ['meta'] : []),
    ...(isInside ? [] : ['id']),
  ]);
  const isBinary = type === 'Binary' && (record['data'] !== undefined || !isInside);
  if (isBinary) for (const name of BINARY) said.add(name);
  const fields = (
    <>
      {isBinary ? <AttachmentView value={contentOf(record)} /> : null}
      <MemberList object={record} elements={elements} without={said} />
      <Parts items={objectsOf(contained)} valueOf={(resource) => resource}>
        {(shown) =>
          shown.map((resource, index) => (
            <ItemBudget key={index} value={resource}>
              <Contained resource={resource} />
            </ItemBudget>
          ))
        }
      </Parts>
      {isObject(meta) ? <MetaView meta={meta} /> : null}
    </>
  );
  return isInside ? <InsideFrame record={record}>{fields}</InsideFrame> : fields;
}

/** A Binary as an attachment. The content of a long one is at its address alone. */
function contentOf(record: JsonObject): JsonObject {
  if (record['data'] !== undefined) return record;
  return { ...record, url: `Binary/${textOf(record['id']) ?? ''}/_history/${versionOf(record)}` };
}

function InsideFrame({
  record,
  children,
}: {
  readonly record: JsonObject;
  readonly children: React.ReactNode;
}) {
  const words = [textOf(record['resourceType']), headlineOf(record)].filter((word) => word !== undefined);
  return (
    <Paper withBorder p="sm">
      <Text size="sm" fw={600} mb="xs">
        {words.join(' · ')}
      </Text>
      {children}
    </Paper>
  );
}

function Contained({ resource }: { readonly resource: JsonObject }) {
  const id = textOf(resource['id']) ?? '';
  return (
    <dl className={`${classes['members']} ${classes['target']}`} id={`contained-${id}`}>
      <Row label={`#${id}`} hint="">
        <Inside value={resource}>{() => <RecordFields record={resource} isInside />}</Inside>
      </Row>
    </dl>
  );
}
