/** Sign-in of users and credentials of clients. */
import { edit } from './edit.mjs';

const SIGN_IN_ATTACKS = 'test/access/sign-in-attacks.test.ts';
const MATRIX = 'test/access/matrix.test.ts';

export const SIGN_IN = [
  {
    name: 'a code is redeemed without its verifier',
    edits: [edit('src/core/oauth/token-endpoint.ts', ' || challenge !== grant.codeChallenge', '')],
    tests: [SIGN_IN_ATTACKS],
  },
  {
    name: 'a code is redeemed for another address',
    edits: [edit('src/core/oauth/token-endpoint.ts', ' || redirectUri !== grant.redirectUri', '')],
    tests: [SIGN_IN_ATTACKS],
  },
  {
    name: 'a code is redeemed twice',
    edits: [
      edit(
        'src/core/storage/accounts/user-grants.ts',
        'and not g.code_used and g.code_expires',
        'and g.code_expires',
      ),
    ],
    tests: [SIGN_IN_ATTACKS],
  },
  {
    name: 'a redirect address needs only to begin like a registered one',
    edits: [
      edit(
        'src/core/oauth/authorization-request.ts',
        'client?.redirectUris.includes(redirectUri) === true',
        'client?.redirectUris.some((uri) => redirectUri.startsWith(uri)) === true',
      ),
    ],
    tests: [SIGN_IN_ATTACKS],
  },
  {
    name: 'a refresh token is accepted twice',
    edits: [
      edit(
        'src/core/storage/accounts/refresh-family.ts',
        'if (before === undefined || before.successors.length > MOST_FURTHER) return undefined;',
        'if (before === undefined) return { newest: next, unused: issued, used: repeatable };',
      ),
    ],
    tests: ['test/access/sign-in.test.ts'],
  },
  {
    name: 'any secret is right',
    edits: [
      edit(
        'src/core/oauth/secret-hash.ts',
        'return stored.length === derived.length && timingSafeEqual(stored, derived);',
        'return stored.length === derived.length;',
      ),
    ],
    tests: ['test/access/unknown-ids.test.ts'],
  },
  {
    name: 'a form of the sign-in pages is accepted from another site',
    edits: [
      edit(
        'src/core/oauth/form-token.ts',
        'return sent.length === expected.length && timingSafeEqual(sent, expected);',
        'return sent.length === expected.length;',
      ),
    ],
    tests: [SIGN_IN_ATTACKS],
  },
  {
    name: 'the sign-in pages do not escape text',
    edits: [
      edit(
        'src/rest/oidc/html.ts',
        'return text.replace(/[&<>"\']/g, (character) => `&#${character.charCodeAt(0)};`);',
        'return text;',
      ),
    ],
    tests: ['test/access/sign-in-pages.test.ts'],
  },
  {
    name: 'a token for another server is accepted',
    edits: [edit('src/core/oauth/access-tokens.ts', 'if (!isForUs || !this.isOwn', 'if (!this.isOwn')],
    title: 'of /w/:tenant/api/v1/fhir is answered',
    tests: [MATRIX],
  },
  {
    name: 'a token that is no access token is accepted',
    edits: [
      edit(
        'src/core/oauth/access-tokens.ts',
        'algorithms: [key.algorithm],\n        typ: TYPE,',
        'algorithms: [key.algorithm],',
      ),
    ],
    title: 'of /w/:tenant/api/v1/fhir is answered',
    tests: [MATRIX],
  },
];
