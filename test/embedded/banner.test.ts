/** What a quick start prints when it is ready. */
import { toAddresses, type Banner } from '../../src/embedded/banner';

const enforced: Banner = {
  ...{ address: 'http://localhost:3000', credentials: 'lab:word', isEnforced: true, isReachable: true },
  ...{ person: { name: 'admin', password: 'secret' }, folder: undefined, seconds: 1 },
};

it('says that other machines reach it, and how people sign in from them', () => {
  const text = toAddresses(enforced);
  expect(text).toContain('Other machines can reach this server');
  expect(text).toContain('ssh -L 3000:localhost:3000');
});

it('says nothing of other machines where it listens on loopback and needs credentials all the same', () => {
  for (const credentials of ['lab:word', undefined]) {
    const text = toAddresses({ ...enforced, credentials, isReachable: false });
    expect(text).toContain('This server answers nobody without credentials (AUTH_MODE=enforced)');
    expect(text).not.toMatch(/other machine|another machine/i);
  }
});

it('says nothing of credentials where none are needed', () => {
  expect(toAddresses({ ...enforced, isEnforced: false })).not.toMatch(/credentials|machine/);
});
