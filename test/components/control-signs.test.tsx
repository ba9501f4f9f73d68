/** Characters that turn the direction of a text around. */
import { fireEvent, screen, waitFor } from '@testing-library/dom';
import { useState } from 'react';
import { showSigns, withSigns } from '../../console/src/layout/control-signs';
import { render } from './render';

const NAME = 'Ann\u202Egpj.exe';

function Screen() {
  const [isShown, setIsShown] = useState(false);
  return (
    <>
      <p>first {NAME}</p>
      <button onClick={() => setIsShown(!isShown)}>More</button>
      <p>{isShown ? `second ${NAME}` : 'nothing'}</p>
      <ul>{isShown ? <li dangerouslySetInnerHTML={{ __html: `third <b>${NAME}</b>` }} /> : null}</ul>
      <div contentEditable suppressContentEditableWarning>
        written {NAME}
      </div>
    </>
  );
}

it('are signs wherever a screen shows a text, at once and later', async () => {
  render(<Screen />);
  const end = showSigns(document.body);
  expect(screen.getByText('first Ann[U+202E]gpj.exe')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'More' }));
  await waitFor(() => expect(screen.getByRole('list').textContent).toBe('third Ann[U+202E]gpj.exe'));
  expect(screen.getByText('second Ann[U+202E]gpj.exe')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'More' }));
  await screen.findByText('nothing');
  end();
});

it('stay in what people write', () => {
  render(<Screen />);
  const end = showSigns(document.body);
  expect(screen.getByText(/^written/).textContent).toBe(`written ${NAME}`);
  end();
});

it.each([
  ['\u200Ea\u200Fb\u061C', '[U+200E]a[U+200F]b[U+061C]'],
  [
    '\u202A\u202B\u202C\u202D\u2066\u2067\u2068\u2069',
    '[U+202A][U+202B][U+202C][U+202D][U+2066][U+2067][U+2068][U+2069]',
  ],
  ['דינה', 'דינה'],
])('have names that can be looked up', (text, shown) => expect(withSigns(text)).toBe(shown));
