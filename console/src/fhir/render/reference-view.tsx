/** A reference as a link with the name of what it leads to. */
import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { textOf, type JsonObject } from '../../api/json';
import { absolute, fhirPath, resourcePath } from '../../place';
import { formatReference } from '../format';
import { containedIn, headlineOf } from '../headline';
import { parseReference } from '../reference';
import { WebLink } from './primitive-view';
import { useRenderRecord, useRenderSpace } from './render-space';
import { ClientName } from './client-name';
import { clientIn, useRecordName, wordsOf } from './use-names';
import { texts } from '../../texts';

export function ReferenceView({ value }: { readonly value: JsonObject }) {
  const space = useRenderSpace();
  const text = textOf(value['reference']) ?? '';
  const display = textOf(value['display']);
  const client = clientIn(value);
  if (client !== undefined) return <ClientName client={client} />;
  const target = parseReference(text, absolute(fhirPath(space)));
  if (target.kind === 'record')
    return <RecordLink type={target.type} id={target.id} version={target.versionId} display={display} />;
  if (target.kind === 'contained') return <ContainedLink id={target.id} display={display} />;
  if (target.kind === 'external') return <WebLink url={target.url} label={display ?? text} />;
  return <span title={text}>{formatReference(value)}</span>;
}

interface ContainedLinkProps {
  readonly id: string;
  readonly display: string | undefined;
}

/** A link to a resource inside of the record, further down on the screen. */
function ContainedLink({ id, display }: ContainedLinkProps) {
  const inside = containedIn(useRenderRecord(), `#${id}`);
  const name = inside === undefined ? undefined : headlineOf(inside);
  return (
    <Anchor underline="always" component={Link} to={`#contained-${id}`} size="sm">
      {display ?? name ?? `#${id}`}
    </Anchor>
  );
}

export interface RecordLinkProps {
  readonly type: string;
  readonly id: string;
  readonly version?: string | undefined;
  /** What the reference itself says. */
  readonly display?: string | undefined;
  /** Without the type, where the column says it. */
  readonly isShort?: boolean;
}

/**
 * A link to a record of this tenant and release, by the name that the reference has, or else that of the record. Shows
 * `Type/id` until the name is read, and says so where it cannot be read.
 */
export function RecordLink({ type, id, version, display, isShort = false }: RecordLinkProps) {
  const space = useRenderSpace();
  const key = `${type}/${id}`;
  const name = useRecordName(space, display === undefined ? key : undefined);
  const words = display ?? wordsOf(name);
  const note =
    name?.state === 'unread' ? texts.record.nameUnread : words === undefined || isShort ? '' : type;
  return (
    <>
      <Anchor
        underline="always"
        component={Link}
        to={resourcePath(space, type, id, version)}
        size="sm"
        title={key}
      >
        {words ?? key}
      </Anchor>
      {note === '' ? null : (
        <Text span size="xs" c="dimmed" ml={6}>
          {note}
        </Text>
      )}
    </>
  );
}
