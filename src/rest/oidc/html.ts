/** The frame of the sign-in pages, and their content security policy. */
import { createHash } from 'node:crypto';

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; padding: 1.5rem 1rem; overflow-wrap: anywhere; }
main { max-width: 30rem; margin: 0 auto; }
h1 { font-size: 1.4rem; line-height: 1.25; }
label, legend { display: block; font-weight: 600; margin-top: 1rem; }
input[type=text], input[type=password], input[type=search] { box-sizing: border-box; width: 100%; padding: .5rem; font: inherit; }
fieldset { border: 1px solid; margin: 1rem 0; padding: 0 1rem 1rem; }
label.choice { font-weight: 400; margin-top: .5rem; }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
button { font: inherit; padding: .5rem 1.25rem; }
a { color: inherit; }
.problem { border-left: .3rem solid #c00; padding-left: .75rem; }
`;

/** What a page may do, besides showing itself. */
export interface PageRights {
  /** Its forms lead to this server. */
  readonly hasForm?: boolean;
  /** And then to the client at this address. */
  readonly redirectUri?: string | undefined;
  /** The text of its script. */
  readonly script?: string;
}

/** Returns the content security policy of a page: its own style and script, and the targets of its forms. */
export function policyOf({ hasForm = false, redirectUri, script }: PageRights): string {
  const client = redirectUri === undefined ? '' : ` ${sourceOf(redirectUri)}`;
  return [
    "default-src 'none'",
    `style-src '${hashOf(STYLE)}'`,
    ...(script === undefined ? [] : [`script-src '${hashOf(script)}'`]),
    `form-action ${hasForm ? `'self'${client}` : "'none'"}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** Browsers also check the final redirect of a form against the policy. */
function sourceOf(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri);
  return ['https:', 'http:'].includes(protocol) ? origin : protocol;
}

export function toProblem(problem: string | undefined): string {
  return problem === undefined ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>\n`;
}

export function hidden(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${escapeHtml(value)}">\n`;
}

/** Goes back to the client; a page of our own has none. */
export function cancelButton(redirectUri: string | undefined): string {
  if (redirectUri === undefined) return '';
  return '\n<button type="submit" name="step" value="deny" formnovalidate>Cancel</button>';
}

export function page(title: string, content: string): string {
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

/** A name that people have chosen: neither its direction nor its marks of direction reach the words around it. */
export function isolated(name: string): string {
  return `<bdi>${escapeHtml(name)}</bdi>`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
