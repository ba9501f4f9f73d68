/** The sign-in pages: plain HTML without scripts, usable with a keyboard, a screen reader and any browser. */
import { createHash } from 'node:crypto';
import type { PatientChoice, SignInStep } from '../../core';
import { describeScope } from './scope-words';

type SignInPage = Extract<SignInStep, { kind: 'sign-in' }>;
type ContinuePage = Extract<SignInStep, { kind: 'continue' }>;
type ConsentPage = Extract<SignInStep, { kind: 'consent' }>;

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; padding: 1.5rem 1rem; }
main { max-width: 30rem; margin: 0 auto; }
h1 { font-size: 1.4rem; line-height: 1.25; }
label, legend { display: block; font-weight: 600; margin-top: 1rem; }
input[type=text], input[type=password], input[type=search] { box-sizing: border-box; width: 100%; padding: .5rem; font: inherit; }
fieldset { border: 1px solid; margin: 1rem 0; padding: 0 1rem 1rem; }
label.choice { font-weight: 400; margin-top: .5rem; }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
button { font: inherit; padding: .5rem 1.25rem; }
.problem { border-left: .3rem solid #c00; padding-left: .75rem; }
`;

/**
 * Returns the content security policy of a page: its own style, and forms that lead to this server and then to the
 * client.
 */
export function policyOf(redirectUri: string | undefined): string {
  const style = createHash('sha256').update(STYLE).digest('base64');
  const targets = redirectUri === undefined ? "'none'" : `'self' ${sourceOf(redirectUri)}`;
  return `default-src 'none'; style-src 'sha256-${style}'; form-action ${targets}; frame-ancestors 'none'; base-uri 'none'`;
}

/** Browsers also check the final redirect of a form against the policy. */
function sourceOf(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri);
  return ['https:', 'http:'].includes(protocol) ? origin : protocol;
}

export function signInPage({ client, tenant, user = '', token, problem }: SignInPage): string {
  const focused = { user: user === '' ? ' autofocus' : '', password: user === '' ? '' : ' autofocus' };
  return page(
    'Sign in',
    `<h1>Sign in to go on to ${escapeHtml(client)}</h1>
<p>Use your account of <strong><bdi>${escapeHtml(tenant)}</bdi></strong>.</p>
${toProblem(problem)}<form method="post">
${hidden('token', token)}<label for="user">User name</label>
<input type="text" id="user" name="user" value="${escapeHtml(user)}" autocomplete="username" autocapitalize="none" spellcheck="false" required${focused.user}>
<label for="password">Password</label>
<input type="password" id="password" name="password" autocomplete="current-password" required${focused.password}>
<div class="buttons"><button type="submit" name="step" value="sign-in">Sign in</button>
<button type="submit" name="step" value="deny" formnovalidate>Cancel</button></div>
</form>`,
  );
}

export function continuePage({ client, user, token }: ContinuePage): string {
  return page(
    `Continue as ${user}?`,
    `<h1>Continue as ${escapeHtml(user)}?</h1>
<p>A link or another site wants to open the ${escapeHtml(client)} with what you may see and change. Continue only if you have asked for it.</p>
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
    `<h1>${escapeHtml(client)} asks for access</h1>
<p>You are signed in as <strong>${escapeHtml(user)}</strong>.</p>
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
  return escapeHtml(`${name}${born} (id ${id})`);
}

function toProblem(problem: string | undefined): string {
  return problem === undefined ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>\n`;
}

function hidden(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${escapeHtml(value)}">\n`;
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
