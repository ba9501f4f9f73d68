/** A button whose action is asked about. */
import { fireEvent, screen, waitFor } from '@testing-library/dom';
import { Confirm } from '../../console/src/screens/administration/confirm';
import { render } from './render';

const WORDS = { label: 'Remove', title: 'Remove the policy?', words: 'It cannot be undone.', action: 'Yes' };

it('does what it asks about, and does not send the form around its button', async () => {
  const [send, run] = [jest.fn(), jest.fn(() => Promise.resolve())];
  render(
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Confirm {...WORDS} run={run} />
    </form>,
  );
  fireEvent.click(screen.getByRole('button', { name: 'Remove' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Yes' }));
  await waitFor(() => expect(run).toHaveBeenCalledTimes(1));
  expect(send).not.toHaveBeenCalled();
});

it('waits until the name is typed, and says why it did not work', async () => {
  const run = jest.fn(() => Promise.reject(new Error('The server is away')));
  render(<Confirm {...WORDS} typed={{ label: 'Type clinic to confirm', text: 'clinic' }} run={run} />);
  fireEvent.click(screen.getByRole('button', { name: 'Remove' }));
  const action = await screen.findByRole<HTMLButtonElement>('button', { name: 'Yes' });
  expect(action.disabled).toBe(true);
  fireEvent.change(screen.getByRole('textbox'), { target: { value: 'clinic' } });
  expect(action.disabled).toBe(false);
  fireEvent.click(action);
  await screen.findByText('The server is away');
  expect(screen.getByRole('dialog')).toBeTruthy();
});
