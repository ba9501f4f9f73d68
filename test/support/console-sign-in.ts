/** People who sign in for the console of a server (docs/run/access.md, The console). */
import type { Answer } from './http';
import type { TestServer } from './server';
import { Browser, FORM, makeProof, toAuthorize, toReturned, type Proof, type Returned } from './sign-in';

export const CONSOLE = 'andiron-console';
export const CONSOLE_SCOPE = 'openid profile fhirUser online_access user/*.cruds administration';

/** The page of the console has made the request, as browsers say. */
export const FROM_CONSOLE = { 'sec-fetch-site': 'same-origin' };

type Server = Pick<TestServer, 'request' | 'base'>;
type Fields = Readonly<Record<string, string>>;

export const toConsole = (server: Pick<Server, 'base'>, tenant: string): string =>
  `${server.base}/w/${tenant}/console`;

/** The address at which the console begins. */
export const startConsole = (server: Server, tenant: string, proof: Proof, more: Fields = {}): string =>
  toAuthorize(server, tenant, CONSOLE, proof, {
    redirect_uri: `${toConsole(server, tenant)}/signed-in`,
    scope: CONSOLE_SCOPE,
    ...more,
  });

export interface ConsoleTokens {
  readonly access_token: string;
  readonly id_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly patient?: string;
}

/** The console's requests for one person in one browser. */
export class ConsoleUser {
  readonly browser: Browser;

  constructor(
    private readonly server: Server,
    private readonly tenant: string,
  ) {
    this.browser = new Browser(server);
  }

  /** Signs in by name and password, or by the session of the browser, which costs no check of a password. */
  async signIn(user: string, password: string, more: Fields = {}): Promise<ConsoleTokens> {
    const proof = makeProof();
    const page = await this.browser.open(startConsole(this.server, this.tenant, proof, more), FROM_CONSOLE);
    if (!page.text.includes('name="password"')) return this.#redeem(proof, page);
    return this.#redeem(
      proof,
      await this.browser.send(page, { step: 'sign-in', user, password }, FROM_CONSOLE),
    );
  }

  /** Asks again without a page. */
  async renew(more: Fields = {}): Promise<ConsoleTokens> {
    const proof = makeProof();
    const start = startConsole(this.server, this.tenant, proof, { prompt: 'none', ...more });
    return this.#redeem(proof, await this.browser.open(start, FROM_CONSOLE));
  }

  /** The redirect with which a request ends that shows no page. */
  async attempt(more: Fields = {}): Promise<Returned> {
    const start = startConsole(this.server, this.tenant, makeProof(), { prompt: 'none', ...more });
    return toReturned(await this.browser.open(start, FROM_CONSOLE));
  }

  async refresh({ refresh_token }: ConsoleTokens): Promise<Answer> {
    return this.#token({ grant_type: 'refresh_token', refresh_token, client_id: CONSOLE });
  }

  async #redeem(proof: Proof, answer: Answer): Promise<ConsoleTokens> {
    const { to, answer: given } = toReturned(answer);
    const redirect_uri = `${toConsole(this.server, this.tenant)}/signed-in`;
    if (to !== redirect_uri || given['code'] === undefined)
      throw new Error(`The console got no code: ${answer.status} ${to} ${JSON.stringify(given)}`);
    const { status, json, text } = await this.#token({
      ...{ grant_type: 'authorization_code', client_id: CONSOLE, redirect_uri },
      ...{ code: given['code'], code_verifier: proof.verifier },
    });
    if (status !== 200) throw new Error(`The console got no token: ${status} ${text}`);
    return json;
  }

  #token(form: Fields): Promise<Answer> {
    const body = new URLSearchParams(form).toString();
    return this.server.request('POST', `/w/${this.tenant}/oidc/token`, body, FORM);
  }
}
