/** The editor of a policy. */
import { fireEvent, screen, waitFor } from '@testing-library/dom';
import { App } from '../../console/src/app';
import { render } from './render';

const STORED = { rules: [{ types: ['Patient'], interactions: 'r' }] };
/** The policies that the page has sent. */
const sent: unknown[] = [];

beforeEach(() => {
  sent.length = 0;
  sessionStorage.clear();
  globalThis.fetch = (_input, { method, body } = {}) => {
    if (method === 'PUT' && typeof body === 'string') sent.push(JSON.parse(body));
    const answer = { ...STORED, clients: [], users: [] };
    return Promise.resolve(Response.json(answer, { headers: { etag: 'W/"1"' } }));
  };
});

it('an example that is chosen as soon as it is there is what is saved', async () => {
  render(<App />, '/w/system/console/administration/acme/policies/ward');
  fireEvent.click(await screen.findByRole('button', { name: 'Read everything, change nothing' }));
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent).not.toEqual([STORED]);
});
