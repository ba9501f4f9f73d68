/** Unsaved texts: whose they are, and when they end. */
import { fireEvent, screen } from '@testing-library/dom';
import type { Person } from '../../console/src/api/session';
import { App } from '../../console/src/app';
import { draftOf, keepDraft } from '../../console/src/editor/drafts';
import { render } from './render';

const SPACE = { tenant: 'acme', release: 'r4' } as const;
const DRAFT = { text: '{"decimal": 1.00}', base: undefined };

function signIn(name: string, id = name): void {
  const person: Person = { id, name, tenant: 'acme', isAdministrator: false, isAuditor: false };
  const session = { id: name, accessToken: 'token', expires: Date.now() + 3_600_000, person };
  sessionStorage.setItem('andiron/session/acme/r4', JSON.stringify(session));
}

beforeEach(() => {
  sessionStorage.clear();
  // Nothing is answered, so that nobody leaves the page.
  globalThis.fetch = () => new Promise(() => undefined);
  signIn('Dora Doe');
  keepDraft(SPACE, 'Patient/ann', DRAFT);
});

it('a text is kept in the tab, for the person who wrote it and for nobody else', () => {
  expect(sessionStorage.getItem('andiron/draft/acme/r4/Patient/ann')).toContain('1.00');
  expect(draftOf(SPACE, 'Patient/ann')).toMatchObject(DRAFT);
  signIn('Ben Bo');
  expect(draftOf(SPACE, 'Patient/ann')).toBeUndefined();
  signIn('Dora Doe', 'another of this name');
  expect(draftOf(SPACE, 'Patient/ann')).toBeUndefined();
  sessionStorage.removeItem('andiron/session/acme/r4');
  expect(draftOf(SPACE, 'Patient/ann')).toBeUndefined();
  signIn('Dora Doe');
  expect(draftOf(SPACE, 'Patient/ann')).toMatchObject(DRAFT);
});

it('signing out says that unsaved texts end, and ends them', async () => {
  render(<App />, '/w/acme/console/r4/graphiql');
  fireEvent.click(screen.getByRole('button', { name: 'Dora Doe' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Sign out and discard unsaved changes' }));
  expect(draftOf(SPACE, 'Patient/ann')).toBeUndefined();
  expect(sessionStorage.getItem('andiron/draft/acme/r4/Patient/ann')).toBeNull();
});
