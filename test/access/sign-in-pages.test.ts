/** Names and texts that people give are text in the sign-in pages, whatever they contain. */
import { consentPage, refusalPage, signInPage } from '../../src/rest/oidc/pages';

const HOSTILE = `"'><img src=x onerror=alert(1)>&`;
const ESCAPED = '&#34;&#39;&#62;&#60;img src=x onerror=alert(1)&#62;&#38;';
const PAGE = { client: HOSTILE, redirectUri: 'https://app.example/back', token: HOSTILE, problem: HOSTILE };

it.each<[string, () => string]>([
  [
    'to sign in',
    () =>
      signInPage({
        ...PAGE,
        kind: 'sign-in',
        status: 200,
        formCookie: HOSTILE,
        tenant: HOSTILE,
        user: HOSTILE,
      }),
  ],
  [
    'to consent',
    () =>
      consentPage({
        ...PAGE,
        kind: 'consent',
        user: HOSTILE,
        scopes: [HOSTILE],
        about: [],
        parts: [],
        chosen: [],
        choices: [{ id: HOSTILE, name: HOSTILE }],
        searched: HOSTILE,
      }),
  ],
  ['of a refusal', () => refusalPage(HOSTILE)],
])('the page %s escapes them', (_which, make) => {
  const text = make();
  expect(text).not.toContain('<img');
  expect(text).toContain(ESCAPED);
});
