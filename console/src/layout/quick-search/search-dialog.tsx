/** Finds patients, types, screens and tenants while a person types (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/). */
import { Modal, Text, TextInput } from '@mantine/core';
import { useEffect, useId, useState } from 'react';
import { useNavigate } from 'react-router';
import { texts } from '../../texts';
import type { Section } from '../current-screen';
import classes from './quick-search.module.css';
import { useResults, type Result } from './use-results';

const { search: words, close } = texts.common;

export interface SearchDialogProps {
  readonly sections: readonly Section[];
  readonly isOpen: boolean;
  /** False: a new screen takes the focus itself. */
  readonly returnsFocus: boolean;
  readonly onClose: () => void;
  /** Closes it because something was chosen. */
  readonly onChosen: () => void;
}

export default function SearchDialog(props: SearchDialogProps) {
  const { sections, isOpen, returnsFocus, onClose, onChosen } = props;
  const navigate = useNavigate();
  const choose = ({ to }: Result): void => {
    onChosen();
    if ('page' in to) location.assign(to.page);
    else void navigate(to.path);
  };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      returnFocus={returnsFocus}
      title={words.title}
      closeButtonProps={{ 'aria-label': close }}
      yOffset="8dvh"
    >
      {isOpen ? <Finder sections={sections} onChoose={choose} /> : null}
    </Modal>
  );
}

interface FinderProps {
  readonly sections: readonly Section[];
  readonly onChoose: (result: Result) => void;
}

function Finder({ sections, onChoose }: FinderProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [key, setKey] = useState<string>();
  const [isEntered, setEntered] = useState(false);
  const { groups, isSearching, note } = useResults(sections, text);
  const all = groups.flatMap(({ results }) => results);
  const active = all.find((each) => each.key === key) ?? all[0];
  const idOf = (result: Result): string => `${id}-option-${all.indexOf(result)}`;
  useEffect(() => {
    if (active !== undefined) document.getElementById(idOf(active))?.scrollIntoView({ block: 'nearest' });
  });
  useEffect(() => {
    if (!isEntered || isSearching) return;
    setEntered(false);
    // Of several people nobody is opened unseen.
    if (active !== undefined && all.length === 1) onChoose(active);
  });
  const move = (step: number): void => {
    const place = active === undefined ? -1 : all.indexOf(active);
    setKey(all.at((place + step) % all.length)?.key);
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    // While a letter is composed, Enter and the arrows are its own.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter' && active !== undefined) onChoose(active);
    else if (event.key === 'Enter' && isSearching) setEntered(true);
    else return;
    event.preventDefault();
  };
  const said = isSearching ? words.searching : (note ?? words.found(all.length));
  return (
    <>
      <TextInput
        data-autofocus
        mt={4}
        aria-label={words.title}
        placeholder={words.hint}
        role="combobox"
        aria-expanded={all.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={active === undefined ? undefined : idOf(active)}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setKey(undefined);
          setEntered(false);
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={`${id}-list`} aria-label={words.results} className={classes['list']}>
        {groups.map((group, index) => (
          <div key={group.title} role="group" aria-labelledby={`${id}-${index}`} className={classes['group']}>
            <div id={`${id}-${index}`} role="presentation" className={classes['title']}>
              {group.title}
            </div>
            {group.results.map((result) => (
              <div
                key={result.key}
                id={idOf(result)}
                role="option"
                aria-selected={result === active}
                className={classes['option']}
                onClick={() => onChoose(result)}
                onMouseMove={() => setKey(result.key)}
                // The focus stays in the field.
                onMouseDown={(event) => event.preventDefault()}
              >
                <Text span size="sm">
                  {result.title}
                </Text>
                {result.details === '' ? null : (
                  <Text span size="xs" c="dimmed">
                    {result.details}
                  </Text>
                )}
              </div>
            ))}
          </div>
        ))}
      </div>
      <Text size="xs" c="dimmed" role="status" mt="xs">
        {said}
      </Text>
    </>
  );
}
