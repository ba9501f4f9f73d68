/**
 * Fails when a relative link of a page leads to no file or heading, when a page, source or test names a file that is not
 * in the repository, or when a page or comment uses a pronoun for a program or a retired name. Reads tracked files only.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

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
  return Array.from(headings, ([, heading]) =>
    heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
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

/** The lines of a page or comment with a pronoun for a program or a retired name. */
function wrongWords(file) {
  const isPage = file.endsWith('.md');
  // Line numbers must stay the same without the blocks.
  const text = isPage ? textOf(file).replace(BLOCKS, (block) => block.replace(/[^\n]/g, '')) : textOf(file);
  return text.split('\n').flatMap((line, index) => {
    if (!isPage && !/^\s*(?:\/\/|\/\*|\*)/.test(line)) return [];
    const found = PRONOUN.exec(line) ?? RETIRED.exec(line);
    return found === null ? [] : [`${file}:${index + 1}: the word '${found[0]}' is not allowed`];
  });
}

const trackedIn = (...paths) =>
  execFileSync('git', ['ls-files', ...paths], { cwd: root })
    .toString()
    .split('\n');
const files = trackedIn('src', 'test', 'bench', 'docs', 'examples', '*.md');
const pages = files.filter((file) => file.endsWith('.md'));
const faults = pages.flatMap((page) =>
  brokenLinks(page).map((link) => `${page}: the link ${link} leads nowhere`),
);
for (const file of files.filter((name) => name.endsWith('.md') || CODE.test(name))) {
  const found = ABSENT.exec(textOf(file));
  if (found !== null) faults.push(`${file}: ${found[0]} is not in the repository`);
}
const commented = trackedIn('src', 'test', 'bench', 'scripts', 'migrations').filter((file) =>
  CODE.test(file),
);
for (const file of new Set([...pages, ...commented])) faults.push(...wrongWords(file));
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
