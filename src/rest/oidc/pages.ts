/** The sign-in pages: plain HTML without scripts, usable with a keyboard, a screen reader and any browser. */
import type { PatientChoice, SignInStep } from '../../core';
import { cancelButton, escapeHtml, hidden, isolated, page, toProblem } from './html';
import { describeScope } from './scope-words';

type SignInPage = Extract<SignInStep, { kind: 'sign-in' }>;
type ContinuePage = Extract<SignInStep, { kind: 'continue' }>;
type ConsentPage = Extract<SignInStep, { kind: 'consent' }>;

export function signInPage({ client, tenant, user = '', token, redirectUri, problem }: SignInPage): string {
  const focused = { user: user === '' ? ' autofocus' : '', password: user === '' ? '' : ' autofocus' };
  return page(
    'Sign in',
    `<h1>Sign in to go on to ${isolated(client)}</h1>
<p>Use your account of <strong>${isolated(tenant)}</strong>.</p>
${toProblem(problem)}<form method="post">
${hidden('token', token)}<label for="user">User name</label>
<input type="text" id="user" name="user" value="${escapeHtml(user)}" autocomplete="username" autocapitalize="none" spellcheck="false" required${focused.user}>
<label for="password">Password</label>
<input type="password" id="password" name="password" autocomplete="current-password" required${focused.password}>
<div class="buttons"><button type="submit" name="step" value="sign-in">Sign in</button>${cancelButton(redirectUri)}</div>
</form>`,
  );
}

export function continuePage({ client, user, token }: ContinuePage): string {
  return page(
    `Continue as ${user}?`,
    `<h1>Continue as ${isolated(user)}?</h1>
<p>A link or another site wants to open the ${isolated(client)} with what you may see and change. Continue only if you have asked for it.</p>
<form method="post">
${hidden('token', token)}<div class="buttons"><button type="submit" name="step" value="continue">Continue</button>
<button type="submit" name="step" value="deny">Cancel</button>
<button type="submit" name="step" value="sign-out">Sign in as somebody else</button></div>
</form>`,
  );
}

export function consentPage(shown: ConsentPage): string {
  const { client, token, user, about, problem } = shown;
  const known = [...new Set(about.map(describeScope))];
  return page(
    `Allow ${client}?`,
    `<h1>${isolated(client)} asks for access</h1>
<p>You are signed in as <strong>${isolated(user)}</strong>.</p>
${toProblem(problem)}<form method="post">
${hidden('token', token)}${toBoxes(shown)}${known.map((what) => `<p>It will ${escapeHtml(what)}.</p>\n`).join('')}${toPatient(shown)}<div class="buttons"><button type="submit" name="step" value="allow">Allow</button>
<button type="submit" name="step" value="deny" formnovalidate>Do not allow</button>
<button type="submit" name="step" value="sign-out" formnovalidate>Sign in as somebody else</button></div>
</form>`,
  );
}

function toBoxes({ scopes, parts, chosen }: ConsentPage): string {
  const [wishes, narrower] = [scopeChoices(scopes), scopeChoices(parts)];
  const toBox = ({ words, meant }: ScopeChoice, place: number): string => {
    const state = meant.some((scope) => chosen.includes(scope)) ? ' checked' : '';
    return `<label class="choice"><input type="checkbox" name="scopes-${place}" value="${escapeHtml(meant.join(' '))}"${state}> ${escapeHtml(words)}</label>`;
  };
  const group = (legend: string, boxes: readonly string[]): string =>
    `<fieldset><legend>${legend}</legend>\n${boxes.join('\n')}\n</fieldset>\n`;
  const less = narrower.map((wish, place) => toBox(wish, wishes.length + place));
  return group('It wants to:', wishes.map(toBox)) + (less.length === 0 ? '' : group('Or only to:', less));
}

/** All scopes with the same words, which share a check box; its value is these scopes. */
interface ScopeChoice {
  readonly words: string;
  readonly meant: readonly string[];
}

function scopeChoices(scopes: readonly string[]): readonly ScopeChoice[] {
  const all = new Set(scopes.map(describeScope));
  return [...all].map((words) => ({
    words,
    meant: scopes.filter((scope) => describeScope(scope) === words),
  }));
}

export function signedOutPage(): string {
  return page('You are signed out', '<h1>You are signed out</h1>');
}

export function refusalPage(reason: string): string {
  return page(
    'This does not work',
    `<h1>This does not work</h1>
<p role="alert">${escapeHtml(reason)}.</p>`,
  );
}

function toPatient({ patient, choices, searched }: ConsentPage): string {
  if (patient !== undefined)
    return `<p>The record is that of <strong>${describePatient(patient)}</strong>.</p>\n`;
  if (choices === undefined) return '';
  const list = choices.map(
    (choice) =>
      `<label class="choice"><input type="radio" name="patient" value="${escapeHtml(choice.id)}"> ${describePatient(choice)}</label>`,
  );
  return `<label for="search">Find a patient by name, identifier or id</label>
<input type="search" id="search" name="search" maxlength="100" value="${escapeHtml(searched ?? '')}">
<div class="buttons"><button type="submit" name="step" value="find">Find</button></div>
<fieldset><legend>Whose record?</legend>
${list.length > 0 ? list.join('\n') : '<p>No patient was found.</p>'}
</fieldset>
`;
}

function describePatient({ name, birthDate, id }: PatientChoice): string {
  const born = birthDate === undefined ? '' : `, born ${birthDate}`;
  return `${isolated(name)}${escapeHtml(`${born} (id ${id})`)}`;
}
