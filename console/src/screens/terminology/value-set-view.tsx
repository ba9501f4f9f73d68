/** The definition of a value set in words, and its codes. */
import { List, Text } from '@mantine/core';
import { textOf } from '../../api/json';
import { readRules, type Rule } from '../../fhir/value-set-rules';
import { Part } from '../../layout/heading';
import type { Space } from '../../place';
import { texts } from '../../texts';
import type { DefinitionViewProps } from './code-system-view';
import { Expansion } from './expansion';
import { KnownUrl } from './known-url';
import classes from './terminology.module.css';

const { terminology } = texts;
/** Codes that a rule shows one by one. */
const SHOWN = 8;

export function ValueSetView({ space, value }: DefinitionViewProps) {
  const rules = readRules(value);
  return (
    <>
      <Part title={terminology.definition}>
        {rules.length === 0 ? <Text size="sm">{terminology.noDefinition}</Text> : null}
        <List size="sm" spacing="xs" className={classes['words'] ?? ''}>
          {rules.map((rule, index) => (
            <List.Item key={index}>
              <RuleWords space={space} rule={rule} />
            </List.Item>
          ))}
        </List>
      </Part>
      <Expansion space={space} id={textOf(value['id']) ?? ''} />
    </>
  );
}

function RuleWords({ space, rule }: { readonly space: Space; readonly rule: Rule }) {
  const { kind, system, codes, filters, valueSets } = rule;
  const verb = kind === 'include' ? terminology.includes : terminology.excludes;
  const quantity =
    codes.length > 0
      ? terminology.someCodes(codes.length)
      : filters.length > 0
        ? terminology.where
        : terminology.allCodes;
  return (
    <>
      <strong>{verb}</strong>{' '}
      {system === '' ? (
        terminology.codesOf
      ) : (
        <>
          {quantity} <KnownUrl space={space} kind="CodeSystem" url={system} />
        </>
      )}
      {system !== '' && valueSets.length > 0 ? ` ${terminology.fromValueSets}` : null}
      {valueSets.map((url, index) => (
        <span key={url}>
          {index === 0 ? ' ' : ', '}
          <KnownUrl space={space} kind="ValueSet" url={url} />
        </span>
      ))}
      {filters.length === 0
        ? null
        : `: ${filters.map(({ property, op, value }) => terminology.filterWords(property, op, value)).join(', ')}`}
      {wordsOf(codes)}
    </>
  );
}

/** All of them stand in the expansion. */
function wordsOf(codes: Rule['codes']): string {
  if (codes.length === 0) return '';
  const words = codes
    .slice(0, SHOWN)
    .map(({ code, display }) => (display === '' ? code : `${code} (${display})`));
  if (codes.length > SHOWN) words.push(terminology.andMore(codes.length - SHOWN));
  return `: ${words.join(', ')}`;
}
