/** A browser with cookies and no scripts, and an app with a signed-in user, as far as tests of signing in need them. */
import { createHash, randomBytes } from 'node:crypto';
import type { Answer } from './http';
import type { TestServer } from './server';

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
export const APP = 'https://app.example/back';

type Requester = Pick<TestServer, 'request' | 'base'>;
type Fields = Readonly<Record<string, string>>;

export interface Proof {
  readonly verifier: string;
  readonly challenge: string;
}

export function makeProof(): Proof {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The address at which an app begins. */
export function toAuthorize(
  server: Requester,
  tenant: string,
  client: string,
  proof: Proof,
  more: Fields = {},
): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client,
    redirect_uri: APP,
    scope: 'openid fhirUser launch/patient patient/*.rs',
    state: 'state-1',
    aud: `${server.base}/w/${tenant}/api/v1/fhir/r4`,
    code_challenge: proof.challenge,
    code_challenge_method: 'S256',
    ...more,
  });
  return `/w/${tenant}/oidc/authorize?${query.toString()}`;
}

/** The target of a redirect, and its parameters. */
export interface Returned {
  readonly to: string;
  readonly answer: Readonly<Record<string, string>>;
}

export class Browser {
  readonly cookies = new Map<string, string>();
  #path = '';

  constructor(private readonly server: Requester) {}

  /** The address of the page that it shows. */
  get path(): string {
    return this.#path;
  }

  async open(path: string, headers: Fields = {}): Promise<Answer> {
    this.#path = path;
    return this.#follow(await this.#request('GET', path, undefined, headers), headers);
  }

  /** Posts a form as a page of an app does. */
  async post(path: string, body: string, headers: Fields = {}): Promise<Answer> {
    this.#path = path;
    return this.#follow(await this.#request('POST', path, body, { ...FORM, ...headers }), headers);
  }

  /** Sends the form of a page back to where it came from, with the check boxes as they are; '' clears one. */
  async send(page: Answer, fields: Fields, headers: Fields = {}): Promise<Answer> {
    const [, token = ''] = /name="token" value="([^"]+)"/.exec(page.text) ?? [];
    const all = { token, ...boxesOf(page), ...fields };
    const body = new URLSearchParams(Object.entries(all).filter(([, value]) => value !== '')).toString();
    return this.#follow(await this.#request('POST', this.#path, body, { ...FORM, ...headers }), headers);
  }

  async signIn(path: string, user: string, password: string): Promise<Answer> {
    return this.send(await this.open(path), { step: 'sign-in', user, password });
  }

  /** Follows redirects to this server, with the headers that say which site has made the request. */
  async #follow(answer: Answer, { 'sec-fetch-site': site }: Fields): Promise<Answer> {
    const to = answer.headers['location'];
    if (answer.status !== 303 || typeof to !== 'string' || !to.startsWith('authorize?')) return answer;
    const headers: Fields = site === undefined ? {} : { 'sec-fetch-site': site };
    return this.open(this.#path.replace(/authorize(?:\?.*)?$/, to), headers);
  }

  async #request(method: string, path: string, body?: string, headers: Fields = {}): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await this.server.request(method, path, body, {
      accept: 'text/html',
      ...headers,
      ...(cookie === '' ? {} : { cookie }),
    });
    const set: string | string[] = answer.headers['set-cookie'] ?? [];
    for (const one of Array.isArray(set) ? set : [set]) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return answer;
  }
}

/**
 * The browsers of people, one each. They send a password where they are asked for it, once as a rule: each check of a
 * password takes 200 ms of a processor.
 */
export class Browsers {
  readonly #browsers = new Map<string, Browser>();

  constructor(private readonly server: Requester) {}

  /** The page of `path` once the person has signed in. */
  async open(
    path: string,
    user: string,
    password: string,
  ): Promise<{ readonly browser: Browser; readonly page: Answer }> {
    const browser = this.#browsers.get(user) ?? new Browser(this.server);
    this.#browsers.set(user, browser);
    const page = await browser.open(path);
    if (!page.text.includes('name="password"')) return { browser, page };
    return { browser, page: await browser.send(page, { step: 'sign-in', user, password }) };
  }
}

/** The check boxes of a page, and the values that they are sent with. */
export function boxesOf({ text }: Pick<Answer, 'text'>): Readonly<Record<string, string>> {
  const boxes = [...text.matchAll(/<input type="checkbox" name="([^"]+)" value="([^"]+)" checked>/g)];
  return Object.fromEntries(boxes.map(([, name = '', value = '']) => [name, unescapeHtml(value)]));
}

function unescapeHtml(text: string): string {
  return text.replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code)));
}

export function toReturned({ headers }: Answer): Returned {
  const [to = '', query = ''] = String(headers['location'] ?? '').split('?');
  return { to, answer: Object.fromEntries(new URLSearchParams(query)) };
}
