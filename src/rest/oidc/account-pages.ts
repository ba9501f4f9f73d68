/** The pages on which people set what they sign in with. */
import type { SignInStep } from '../../core';
import { escapeHtml, hidden, page, toProblem } from './html';

type InvitationPage = Extract<SignInStep, { kind: 'invitation' }>;
type PasswordSetPage = Extract<SignInStep, { kind: 'password-set' }>;

/** Takes the secret of the link out of the address and into the form. Browsers send no server what stands behind the `#`. */
export const INVITATION_SCRIPT = `
if (location.hash !== '') {
  document.getElementById('secret').value = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
}
`;

export function invitationPage({ token, secret = '', problem }: InvitationPage): string {
  return page(
    'Set your password',
    `<h1>Set your password</h1>
<noscript><p class="problem" role="alert">This page needs JavaScript to read your link.</p></noscript>
${toProblem(problem)}<form method="post">
${hidden('token', token)}<input type="hidden" id="secret" name="secret" value="${escapeHtml(secret)}" autocomplete="off">
<label for="password">New password, of 12 characters or more</label>
<input type="password" id="password" name="password" autocomplete="new-password" minlength="12" maxlength="200" required autofocus>
<label for="again">The same again</label>
<input type="password" id="again" name="again" autocomplete="new-password" minlength="12" maxlength="200" required>
<div class="buttons"><button type="submit">Set the password</button></div>
</form>
<script>${INVITATION_SCRIPT}</script>`,
  );
}

export function passwordSetPage({ user, tenant }: PasswordSetPage): string {
  return page(
    'Your password is set',
    `<h1>Your password is set</h1>
<p>You can sign in to <strong><bdi>${escapeHtml(tenant)}</bdi></strong> as <strong><bdi>${escapeHtml(user)}</bdi></strong>.</p>
<p><a href="../console">Open the console</a></p>`,
  );
}
