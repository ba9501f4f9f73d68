/** Passwords that the browser makes. */

/** Without characters that look alike, so that people can type them. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const GROUPS = 4;
const GROUP = 5;

/** A password of some 116 random bits, in groups that can be read aloud. */
export function makePassword(): string {
  const letters: string[] = [];
  while (letters.length < GROUPS * GROUP) {
    // Bytes beyond the last multiple of the alphabet are left out, so that each letter is equally likely.
    const limit = 256 - (256 % ALPHABET.length);
    for (const byte of crypto.getRandomValues(new Uint8Array(GROUPS * GROUP)))
      if (byte < limit && letters.length < GROUPS * GROUP)
        letters.push(ALPHABET[byte % ALPHABET.length] ?? '');
  }
  const groups = Array.from({ length: GROUPS }, (_, index) =>
    letters.slice(index * GROUP, (index + 1) * GROUP).join(''),
  );
  return groups.join('-');
}
