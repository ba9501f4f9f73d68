/**
 * Fails when a relative link of a page leads to no file or heading, when a page, source or test names a file that is not
 * in the repository, when a page or comment uses a pronoun for a program or a retired name, when the sidebar of the site and
 * the pages of docs/ differ, or when README.md is too long. Reads tracked files only.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { toAnchor } from '../docs/.vitepress/anchor.mjs';
import { PAGES } from '../docs/.vitepress/pages.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const ABSENT = /\b(?:contract|checks|search-rules)\.md\b|\(checks? \d+/;
const BLOCKS = /^```.*?^```/gms;

const CODE = /\.(?:ts|tsx|mjs|cjs|js)$/;
const anyOf = (words, flags) => new RegExp(`\\b(?:${words.split(' ').join('|')})\\b`, flags);
const PRONOUN = anyOf('he him his himself whoever', 'i');
/** Names that the code no longer has. */
const RETIRED = anyOf(
  'Drive choose-drive drive-cost MergedStatements CombinedLooks isLook whenLooked usualOrder guardCore WriteDoor ' +
    'TenantDoor keepAuditApart Forgetter forgettable mayRemember NOTHING_YET Informant SpaceTools companionOf ' +
    'registrationOf VersionMemory SearchMemory searchEach SEARCH_GATHER VERSION_MEMORY_MB ' +
    'SEARCH_MEMORY_MB readEach readAtOnce readTogether readMerged readWithin oneAccess PathMemory Doorkeeper ' +
    'GatheredRow GatheredLines GatheredRefusals gatherHeads RememberedVersions RememberedPage fromMemory MemoryMark ' +
    'CodeJudge createDistantStorage KeptBundles',
);

const textOf = (file) => readFileSync(path.join(root, file), 'utf8');

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(page) {
  const headings = textOf(page)
    .replace(BLOCKS, '')
    .matchAll(/^#+ (.*)$/gm);
  return Array.from(headings, ([, heading]) => toAnchor(heading));
}

function brokenLinks(page) {
  const links = textOf(page)
    .replace(BLOCKS, '')
    .matchAll(/\]\(([^)\s]+)\)/g);
  return Array.from(links, ([, link]) => link).filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file, anchor] = link.split('#');
    const target = file === '' ? page : path.join(path.dirname(page), file);
    if (!existsSync(path.join(root, target))) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
  });
}

/** Pages that the sidebar lacks, or has twice, or that do not exist. The first page of the site is not in its sidebar. */
function sidebarFaults(pages) {
  const onSite = pages
    .filter((page) => page.startsWith('docs/') && page !== 'docs/index.md')
    .map((page) => page.slice('docs/'.length, -'.md'.length));
  const missing = onSite.filter((page) => !PAGES.includes(page));
  const absent = PAGES.filter((page) => !existsSync(path.join(root, 'docs', `${page}.md`)));
  const twice = PAGES.filter((page, index) => PAGES.indexOf(page) !== index);
  const inList = 'docs/.vitepress/pages.mjs';
  return [
    ...missing.map((page) => `docs/${page}.md is not in the sidebar: add it to ${inList}`),
    ...absent.map((page) => `${inList}: the page ${page} does not exist`),
    ...twice.map((page) => `${inList}: the page ${page} is listed twice`),
  ];
}

const MOST_LINES = 150;

function readmeFaults() {
  const lines = textOf('README.md').trimEnd().split('\n').length;
  return lines > MOST_LINES ? [`README.md has ${lines} lines; at most ${MOST_LINES} are allowed`] : [];
}

/** The lines of a page or comment with a pronoun for a program or a retired name. */
function wrongWords(file) {
  const isPage = file.endsWith('.md');
  // Line numbers must stay the same without the blocks.
  const text = isPage ? textOf(file).replace(BLOCKS, (block) => block.replace(/[^\n]/g, '')) : textOf(file);
  return text.split('\n').flatMap((line, index) => {
    if (!isPage && !/^\s*(?:\/\/|\/\*|\*)/.test(line)) return [];
    const [pronoun] = PRONOUN.exec(line) ?? [];
    if (pronoun !== undefined)
      return [`${file}:${index + 1}: '${pronoun}' is not allowed for a program: write its name, or 'it'`];
    const [retired] = RETIRED.exec(line) ?? [];
    return retired === undefined
      ? []
      : [`${file}:${index + 1}: the name '${retired}' does not exist any more`];
  });
}

const trackedIn = (...paths) =>
  execFileSync('git', ['ls-files', ...paths], { cwd: root })
    .toString()
    .split('\n');
const files = trackedIn('src', 'test', 'bench', 'docs', 'examples', '*.md');
const pages = files.filter((file) => file.endsWith('.md'));
const faults = pages.flatMap((page) =>
  brokenLinks(page).map((link) => `${page}: the target of the link ${link} does not exist`),
);
for (const file of files.filter((name) => name.endsWith('.md') || CODE.test(name))) {
  const found = ABSENT.exec(textOf(file));
  if (found !== null) faults.push(`${file}: ${found[0]} does not exist in the repository`);
}
const commented = trackedIn('src', 'test', 'bench', 'scripts', 'migrations', 'packages').filter((file) =>
  CODE.test(file),
);
for (const file of new Set([...pages, ...commented])) faults.push(...wrongWords(file));
faults.push(...sidebarFaults(pages), ...readmeFaults());
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
