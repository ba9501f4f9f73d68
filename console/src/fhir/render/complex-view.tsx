/** A value of several members: its short text and all that the text has not said, or a group of its members. */
import { Text } from '@mantine/core';
import { isObject, textOf, type JsonObject } from '../../api/json';
import { conveyed } from '../conveyed';
import type { ElementInfo } from '../definitions';
import { formatValue, guessType } from '../format';
import { AttachmentView } from './attachment-view';
import { CodingView, ConceptView } from './concept-view';
import { IdentifierView } from './identifier-view';
import { LongText } from './long-text';
import { MemberList } from './member-list';
import { NarrativeView } from './narrative-view';
import { ReferenceView } from './reference-view';
import classes from './render.module.css';
import { useRenderSpace } from './render-space';
import { useDefinition } from '../search/search-definitions';

export interface ComplexViewProps {
  readonly value: JsonObject;
  readonly type: string | undefined;
  /** The elements of a group that is defined inside of its record. */
  readonly elements: readonly ElementInfo[];
}

const ATTACHMENT: ReadonlySet<string> = new Set(['contentType', 'data', 'url', 'title']);
const NARRATIVE: ReadonlySet<string> = new Set(['status', 'div']);
const INLINE = new Set(['BackboneElement', 'Element']);

export function ComplexView({ value, type: known, elements }: ComplexViewProps) {
  const type = known === undefined || INLINE.has(known) ? undefined : known;
  if (type === 'Narrative')
    return <WithRest value={value} said={NARRATIVE} view={<NarrativeView value={value} />} />;
  if (type === 'Attachment')
    return <WithRest value={value} said={ATTACHMENT} view={<AttachmentView value={value} />} />;
  if (elements.length > 0) return <Group value={value} elements={elements} />;
  const shown = type ?? guessType(value);
  const said = shown === undefined ? undefined : conveyed(shown, value);
  const text = shown === undefined ? '' : formatValue(value, shown);
  if (shown === undefined || said === undefined || text === '')
    return type === undefined ? (
      <Group value={value} elements={[]} />
    ) : (
      <TypedGroup value={value} type={type} />
    );
  return <WithRest value={value} said={said} view={<ShortView value={value} type={shown} />} />;
}

function ShortView({ value, type }: { readonly value: JsonObject; readonly type: string }) {
  if (type === 'CodeableConcept') return <ConceptView value={value} />;
  if (type === 'Coding') return <CodingView value={value} />;
  if (type === 'Reference') return <ReferenceView value={value} />;
  if (type === 'Identifier') return <IdentifierView value={value} />;
  if (type === 'Annotation') return <AnnotationView value={value} />;
  return <span>{formatValue(value, type)}</span>;
}

/** A note, with the name of the record of its author. */
function AnnotationView({ value }: { readonly value: JsonObject }) {
  const author = isObject(value['authorReference']) ? value['authorReference'] : undefined;
  const source = [textOf(value['authorString']) ?? '', formatValue(value['time'], 'dateTime')];
  return (
    <Text size="sm" component="div">
      <LongText text={textOf(value['text']) ?? ''} />{' '}
      <Text span size="sm" c="dimmed">
        {source.filter((part) => part !== '').join(', ')}
      </Text>
      {author === undefined ? null : (
        <>
          {' '}
          <ReferenceView value={author} />
        </>
      )}
    </Text>
  );
}

interface WithRestProps {
  readonly value: JsonObject;
  readonly said: ReadonlySet<string>;
  readonly view: React.ReactNode;
}

function WithRest({ value, said, view }: WithRestProps) {
  const hasRest = Object.keys(value).some((name) => !said.has(name));
  return (
    <>
      {view}
      {hasRest ? (
        <div className={classes['details']}>
          <MemberList object={value} elements={[]} without={said} />
        </div>
      ) : null}
    </>
  );
}

function Group({
  value,
  elements,
}: {
  readonly value: JsonObject;
  readonly elements: readonly ElementInfo[];
}) {
  return (
    <div className={classes['group']}>
      <MemberList object={value} elements={elements} />
    </div>
  );
}

/** A group of a data type, whose own definition has the order and the words. */
function TypedGroup({ value, type }: { readonly value: JsonObject; readonly type: string }) {
  const { data } = useDefinition(useRenderSpace(), type);
  return <Group value={value} elements={data?.elements ?? []} />;
}
