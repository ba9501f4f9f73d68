/** Codes with their words, systems and a way to look them up. */
import { Anchor, Code, Text } from '@mantine/core';
import { Link } from 'react-router';
import { objectsOf, textOf, type JsonObject } from '../../api/json';
import { codePath } from '../../place';
import { texts } from '../../texts';
import { formatCodeableConcept, formatCoding } from '../format';
import { LongText } from './long-text';
import { Parts } from './parts';
import classes from './render.module.css';
import { useRenderSpace } from './render-space';

const LONGEST_TITLE = 500;

export function CodingView({ value }: { readonly value: JsonObject }) {
  const space = useRenderSpace();
  const [system, code, display] = [value['system'], value['code'], value['display']].map((each) =>
    textOf(each),
  );
  const words = formatCoding(value);
  const version = textOf(value['version']);
  const notes = [
    version === undefined ? '' : texts.record.versionOfSystem(version),
    value['userSelected'] === true ? texts.record.chosenByPerson : '',
  ]
    .filter((note) => note !== '')
    .join(', ');
  const title = [system, code]
    .filter((each) => each !== undefined)
    .join(' | ')
    .slice(0, LONGEST_TITLE);
  return (
    <span title={title}>
      {system === undefined || code === undefined ? (
        words
      ) : (
        <Anchor component={Link} to={codePath(space, system, code)} size="sm">
          {words}
        </Anchor>
      )}
      {code === undefined || display === undefined ? null : <Code ml={6}>{code}</Code>}
      {notes === '' ? null : (
        <Text span size="xs" c="dimmed" ml={6}>
          {notes}
        </Text>
      )}
    </span>
  );
}

/** The text of a concept, and the codes that say the same. */
export function ConceptView({ value }: { readonly value: JsonObject }) {
  const codings = objectsOf(value['coding']);
  const text = textOf(value['text']);
  const isSaid = text === undefined || codings.some((coding) => textOf(coding['display']) === text);
  if (codings.length === 0) return <span>{formatCodeableConcept(value)}</span>;
  return (
    <>
      {isSaid ? null : <LongText text={text} />}
      <Parts items={codings} valueOf={(coding) => coding}>
        {(shown) => (
          <ul className={classes['list']} style={{ gap: 2 }}>
            {shown.map((coding, index) => (
              <li key={index} dir="auto">
                <CodingView value={coding} />
              </li>
            ))}
          </ul>
        )}
      </Parts>
    </>
  );
}
