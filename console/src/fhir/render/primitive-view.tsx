/** A simple value: a text, number, date, address or yes and no. */
import { Anchor, Code } from '@mantine/core';
import { Link } from 'react-router';
import { textOf, type JsonValue } from '../../api/json';
import { fhirPath } from '../../place';
import { formatValue } from '../format';
import { isDateText } from '../format-date';
import { isWebAddress } from '../reference';
import { LongText } from './long-text';
import { useRenderSpace } from './render-space';

const DATES = new Set(['date', 'dateTime', 'instant']);
const ADDRESSES = new Set(['uri', 'url', 'canonical']);
/** Longer Base64 says nothing to people. */
const SHOWN_OF_BASE64 = 120;
/** A longer text is no address or date. */
const LONGEST_ADDRESS = 2_000;

export function PrimitiveView({
  value,
  type,
}: {
  readonly value: JsonValue;
  readonly type: string | undefined;
}) {
  const text = textOf(value) ?? '';
  if (text.length > LONGEST_ADDRESS && type !== 'base64Binary') return <LongText text={text} />;
  if (type === 'canonical') return <CanonicalView canonical={text} />;
  if (isWebAddress(text) && (type === undefined || ADDRESSES.has(type))) return <WebLink url={text} />;
  if (type === 'base64Binary')
    return <Code>{text.length > SHOWN_OF_BASE64 ? `${text.slice(0, SHOWN_OF_BASE64)} …` : text}</Code>;
  const isDate = type === undefined ? typeof value === 'string' && isDateText(text) : DATES.has(type);
  if (isDate)
    return (
      <time dateTime={text} title={text}>
        {formatValue(value, type)}
      </time>
    );
  return typeof value === 'string' ? <LongText text={text} /> : <span>{formatValue(value, type)}</span>;
}

export function WebLink({ url, label = url }: { readonly url: string; readonly label?: string }) {
  return (
    <Anchor href={url} target="_blank" rel="noopener noreferrer" size="sm">
      {label}
    </Anchor>
  );
}

/** The address of a definition: leads to those of the tenant that have it. */
function CanonicalView({ canonical }: { readonly canonical: string }) {
  const space = useRenderSpace();
  const [, type] = /\/([A-Z][A-Za-z]+)\/[^/]+$/.exec(canonical) ?? [];
  const [url = '', version] = canonical.split('|');
  if (type === undefined)
    return isWebAddress(url) ? <WebLink url={url} label={canonical} /> : <span>{canonical}</span>;
  const query = new URLSearchParams({ url, ...(version === undefined ? {} : { version }) });
  return (
    <Anchor component={Link} to={`${fhirPath(space, type)}?${query.toString()}`} size="sm">
      {canonical}
    </Anchor>
  );
}
