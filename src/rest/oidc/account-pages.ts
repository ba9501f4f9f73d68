/** The pages on which people set what they sign in with. */
import { renderSVG } from 'uqr';
import type { SignInStep } from '../../core';
import { cancelButton, escapeHtml, hidden, isolated, page, toProblem } from './html';

type InvitationPage = Extract<SignInStep, { kind: 'invitation' }>;
type CodePage = Extract<SignInStep, { kind: 'code' }>;
type EnrolmentPage = Extract<SignInStep, { kind: 'enrolment' }>;
type RecoveryCodesPage = Extract<SignInStep, { kind: 'recovery-codes' }>;
type RemovedPage = Extract<SignInStep, { kind: 'second-factor-removed' }>;
type PasswordSetPage = Extract<SignInStep, { kind: 'password-set' }>;

/**
 * Takes the secret of the link out of the address and into the form. Browsers send no server what stands behind the `#`, and load no
 * page for a link that differs from the address only there, such as a new one that is opened where the former was refused. A page
 * that is loaded again has no secret.
 */
export const INVITATION_SCRIPT = `
const secret = document.getElementById('secret');
function takeSecret() {
  if (location.hash !== '') {
    secret.value = location.hash.slice(1);
    history.replaceState(null, '', location.pathname);
    document.querySelector('.problem[role=alert]:not(#missing)')?.remove();
  }
  document.getElementById('missing').hidden = secret.value !== '';
}
takeSecret();
addEventListener('hashchange', takeSecret);
`;

export function invitationPage({ token, secret = '', problem }: InvitationPage): string {
  return page(
    'Set your password',
    `<h1>Set your password</h1>
<noscript><p class="problem" role="alert">This page needs JavaScript to read your link.</p></noscript>
<p class="problem" role="alert" id="missing" hidden>Open your link again: this page does not have it.</p>
${toProblem(problem)}<form method="post">
${hidden('token', token)}<input type="hidden" id="secret" name="secret" value="${escapeHtml(secret)}" autocomplete="off">
<label for="password">New password, of 12 characters or more</label>
<input type="password" id="password" name="password" autocomplete="new-password" minlength="12" required autofocus>
<label for="again">The same again</label>
<input type="password" id="again" name="again" autocomplete="new-password" minlength="12" required>
<div class="buttons"><button type="submit">Set the password</button></div>
</form>
<script>${INVITATION_SCRIPT}</script>`,
  );
}

/** Loads the page of another link: it differs from the address here only behind the `#`, for which browsers load no page. */
export const NEXT_LINK_SCRIPT = `
addEventListener('hashchange', () => location.replace(location.pathname + '?' + location.hash));
`;

export function passwordSetPage({ user, tenant }: PasswordSetPage): string {
  return page(
    'Your password is set',
    `<h1>Your password is set</h1>
<p>You can sign in to <strong>${isolated(tenant)}</strong> as <strong>${isolated(user)}</strong>.</p>
<p><a href="../console">Open the console</a></p>
<script>${NEXT_LINK_SCRIPT}</script>`,
  );
}

const REPLACE = '<button type="submit" name="step" value="code">Set up another one</button>';
/** What a person does with a code: a sentence with the name of the tenant and of the person, and the buttons. */
const PURPOSES: Readonly<
  Record<CodePage['purpose'], { words(tenant: string, user: string): string; readonly buttons: string }>
> = {
  'sign-in': {
    words: (tenant, user) => `You sign in to ${tenant} as ${user}.`,
    buttons: '<button type="submit" name="step" value="code">Sign in</button>',
  },
  replace: {
    words: (tenant, user) =>
      `${user} has a second factor, which ${tenant} requires. With a code of it you set up another one, and get new recovery codes.`,
    buttons: REPLACE,
  },
  'replace-or-remove': {
    words: (tenant, user) =>
      `${user} has a second factor at ${tenant}. With a code of it you set up another one and get new recovery codes, or remove it: then the password alone is enough.`,
    buttons: `${REPLACE}
<button type="submit" name="step" value="remove">Remove it</button>`,
  },
};

export function codePage(shown: CodePage): string {
  const { token, proof, user, tenant, problem, purpose, redirectUri } = shown;
  const { words, buttons } = PURPOSES[purpose];
  const name = (text: string): string => `<strong>${isolated(text)}</strong>`;
  return page(
    'Enter your code',
    `<h1>Enter the code of your app</h1>
<p>${words(name(tenant), name(user))}</p>
${toProblem(problem)}<form method="post">
${hidden('token', token)}${hidden('proof', proof)}${codeField('Code of six digits, or a recovery code', 'help')}
<p id="help">The app on your phone shows another code every 30 seconds. Without the phone, enter one of your recovery codes. Without those, ask an administrator to remove your second factor.</p>
<div class="buttons">${buttons}${cancelButton(redirectUri)}</div>
</form>`,
  );
}

export function secondFactorRemovedPage({ next }: RemovedPage): string {
  return page(
    'Your second factor is removed',
    `<h1>Your second factor is removed</h1>
<p>From now on your password alone is enough. Delete the account from your app: its codes are not valid any more.</p>
<p><a href="${escapeHtml(next)}">Go on</a></p>`,
  );
}

export function enrolmentPage(shown: EnrolmentPage): string {
  const { token, proof, user, tenant, text, uri, problem, redirectUri } = shown;
  return page(
    'Set up your second factor',
    `<h1>Set up your second factor</h1>
<p>From now on you sign in to <strong>${isolated(tenant)}</strong> as <strong>${isolated(user)}</strong> with your password and a code of an authenticator app.</p>
<ol>
<li>Scan this code with the app, or type the secret below it into the app.
<div role="img" aria-label="QR code of the secret">${renderSVG(uri)}</div>
<p><code id="secret">${escapeHtml(text.replace(/.{4}(?=.)/g, '$& '))}</code></p></li>
<li>Enter the code that the app shows.</li>
</ol>
${toProblem(problem)}<form method="post">
${hidden('token', token)}${hidden('proof', proof)}${codeField('Code of six digits')}
<div class="buttons"><button type="submit" name="step" value="enrol">Set it up</button>${cancelButton(redirectUri)}</div>
</form>`,
  );
}

export function recoveryCodesPage({ codes, next }: RecoveryCodesPage): string {
  return page(
    'Your recovery codes',
    `<h1>Your second factor is set</h1>
<p>Keep these recovery codes where only you find them: print them, or write them down. Each replaces a code of the app once, if you lose it. They are not shown again.</p>
<ul>
${codes.map((code) => `<li><code>${escapeHtml(code)}</code></li>`).join('\n')}
</ul>
<p><a href="${escapeHtml(next)}">Go on</a></p>`,
  );
}

/** `help`: the id of the words that help. */
function codeField(label: string, help?: string): string {
  const described = help === undefined ? '' : ` aria-describedby="${help}"`;
  return `<label for="code">${label}</label>
<input type="text" id="code" name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false"${described} required autofocus>`;
}
